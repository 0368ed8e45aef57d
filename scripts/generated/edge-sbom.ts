/** The software bill of materials of the Python package, which its wheel carries (PEP 770). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toolVersion } from '../../src/server/process/program-folder.ts';
import { projectRoot } from '../freshness.ts';

export const edgeSbomPath = 'edge/sbom.cdx.json';

/** Returns CycloneDX of what `edge/pyproject.toml` declares; the wheel holds none of it, pip chooses the versions. */
export function renderEdgeSbom(): string {
  const declared = readFileSync(join(projectRoot, 'edge/pyproject.toml'), 'utf8');
  const required = listRequirements(/^dependencies = (\[.*?\])/ms.exec(declared)?.[1]);
  const extras = /^\[project\.optional-dependencies\]\n(.*?)^# Linter/ms.exec(declared)?.[1] ?? '';
  const optional = [...extras.matchAll(/^\w+ = (\[.*?\])/gms)].flatMap(([, list]) => listRequirements(list));
  const ref = 'pkg:pypi/decision-edge';
  const version = toolVersion(projectRoot);
  const licenses = [{ license: { id: 'Apache-2.0' } }];
  const component = {
    type: 'library',
    'bom-ref': ref,
    name: 'decision-edge',
    version,
    licenses,
    purl: `${ref}@${version}`,
  };
  const toComponent = (scope: string) => (requirement: string) => {
    const purl = toPurl(requirement);
    const properties = [{ name: 'pip:requirement', value: requirement }];
    return { type: 'library', 'bom-ref': purl, name: purl.replace('pkg:pypi/', ''), scope, purl, properties };
  };
  const bom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component },
    components: [...required.map(toComponent('required')), ...optional.map(toComponent('optional'))],
    dependencies: [{ ref, dependsOn: required.map(toPurl) }],
  };
  return `${JSON.stringify(bom, null, 2)}\n`;
}

const toPurl = (requirement: string): string => `pkg:pypi/${/^[\w.-]+/.exec(requirement)?.[0]}`;

/** The requirements of a list in TOML, without the package's own extras. */
const listRequirements = (list = '[]'): string[] =>
  [...list.matchAll(/"([^"]+)"/g)].flatMap(([, each = '']) => (each.startsWith('decision-edge') ? [] : [each]));
