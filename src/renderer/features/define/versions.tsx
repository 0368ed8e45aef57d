import { Button } from '@mantine/core';
import { useState } from 'react';
import type { DecisionType, Version } from '../../../server/contract/types/decision-types.ts';
import { Busy, ErrorNote, Moment } from '../../parts/notes.tsx';
import { showUnseen } from '../../parts/text/names.ts';
import { changedFields, isOfVersion, settingNames, toDraft } from '../../state/drafts.ts';
import { useOperation } from '../../state/queries.ts';
import { useDraft } from '../../state/use-draft.ts';

const toTitle = (name: string) => name.replace(/^(?:the )?(.)/, (_, first: string) => first.toUpperCase());

function show(value: unknown): string {
  return showUnseen(typeof value === 'string' ? value : JSON.stringify(value, null, 1));
}

/** Every version with what it changed; an earlier one can be taken up again as a draft. */
export function Versions({ type }: { type: DecisionType }) {
  const versions = useOperation('versions.list', { params: { decision_type_id: type.id } });
  const [opened, setOpened] = useState<string | null>(null);
  const { draft, edit } = useDraft(type);
  if (versions.isPending) return <Busy>Loading the versions…</Busy>;
  if (versions.isError) return <ErrorNote error={versions.error} retry={() => void versions.refetch()} />;
  const takeUp = (version: Version) => {
    const taken = toDraft({ ...type, active_version: version });
    edit(
      Object.fromEntries(
        changedFields(draft, taken).flatMap((name) => (isOfVersion(name) ? [[name, taken[name]]] : [])),
      ),
    );
  };
  return (
    <ol>
      {versions.data.map((version, index) => {
        const earlier = versions.data[index + 1];
        const isOpen = opened === version.id;
        return (
          <li key={version.id} className="part stack tight">
            <div className="row between">
              <span>
                <strong>Version {version.version_number}</strong>{' '}
                <span className="muted">
                  <Moment iso={version.created_at} />
                </span>
              </span>
              <span className="row">
                {earlier && (
                  <Button
                    size="compact-xs"
                    variant="subtle"
                    aria-expanded={isOpen}
                    onClick={() => setOpened(isOpen ? null : version.id)}
                  >
                    What it changed
                  </Button>
                )}
                {version.id !== type.active_version.id && (
                  <Button
                    size="compact-xs"
                    aria-label={`Restore as a draft: version ${version.version_number}`}
                    onClick={() => takeUp(version)}
                  >
                    Restore as a draft
                  </Button>
                )}
              </span>
            </div>
            {isOpen && earlier && <Changes type={type} from={earlier} to={version} />}
          </li>
        );
      })}
    </ol>
  );
}

function Changes({ type, from, to }: { type: DecisionType; from: Version; to: Version }) {
  const before = toDraft({ ...type, active_version: from });
  const after = toDraft({ ...type, active_version: to });
  return (
    <dl className="stack tight">
      {changedFields(before, after).map((field) => (
        <div key={field}>
          <dt className="strong">{toTitle(settingNames[field])}</dt>
          <dd className="mono wrap">
            <del className="bad-text">{show(before[field])}</del>
            <br />
            <ins className="good-text">{show(after[field])}</ins>
          </dd>
        </div>
      ))}
    </dl>
  );
}
