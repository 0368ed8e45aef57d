/** Groups that must not be harmed: their figures, and the sheet with the fields and limits of the comparison. */
import { Button, NativeSelect, NumberInput, TagsInput } from '@mantine/core';
import { useState } from 'react';
import { limits } from '../../../engine/limits.ts';
import type { MeasuredShare } from '../../../engine/measured.ts';
import type { GroupSetting } from '../../../engine/report/groups.ts';
import type { OutputOf } from '../../../server/contract/operations.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { NumberField } from '../../parts/fields/number-field.tsx';
import { Form } from '../../parts/form.tsx';
import { Part } from '../../parts/notes.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { number, percent } from '../../parts/text/figures.ts';
import { isolate, quoteNames, showUnseen } from '../../parts/text/names.ts';
import { useOperation } from '../../state/queries.ts';
import { useSetting } from '../../state/use-setting.ts';
import { SettingRefusal } from './setting-refusal.tsx';

type Report = OutputOf<'policies.whole'>['groups'][number];

/** Shows what was compared, with the sheet of what to compare. */
export function Groups({ type, reports }: { type: DecisionType; reports: readonly Report[] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Part
      title="Groups"
      isWide={type.groups !== null}
      tools={
        !isOpen && <Button onClick={() => setOpen(true)}>{type.groups ? 'Change groups…' : 'Compare groups…'}</Button>
      }
    >
      <div className="stack">
        {isOpen && <GroupSheet type={type} onClose={() => setOpen(false)} />}
        {type.groups === null && !isOpen && (
          <p className="muted">Name a field, such as a region, to see whether its groups are treated alike.</p>
        )}
        {type.groups !== null && reports.length === 0 && <p className="muted">No figure of groups is known.</p>}
        {reports.map((report) => (
          <div key={report.field} className="stack tight">
            <p className={report.state === 'passed' ? '' : 'note warn'}>{quoteNames(report.sentence)}</p>
            {report.ratios.map(({ option }) => (
              <GroupTable key={option} report={report} option={option} />
            ))}
          </div>
        ))}
      </div>
    </Part>
  );
}

function GroupTable({ report: { field, groups }, option }: { report: Report; option: string }) {
  const its = isolate(option);
  return (
    <PlainTable
      label={`${its} by ${field}`}
      heads={[
        field,
        { name: 'Examples', says: 'Unseen examples of this group.' },
        { name: its, says: 'The share that is decided so, handed on or not; below it the range with 95% certainty.' },
        { name: 'Wrongly', says: 'False positives: decided so, of those for which another option is right.' },
        { name: 'Wrongly not', says: 'False negatives: decided otherwise, of those for which it is right.' },
        { name: 'Automated', says: 'The share that needs no review.' },
        { name: 'Wrong', says: 'The share of wrong ones among the automated.' },
      ]}
    >
      {groups.map(({ name, rows, options, automatic, error_automatic: error }) => {
        const own = options.find((each) => each.option === option);
        return (
          <tr key={name}>
            <td className="wrap">{showUnseen(name)}</td>
            <td className="number">{number(rows)}</td>
            {own === undefined ? (
              <td className="muted" colSpan={5}>
                fewer than {limits.minGroupRows}: too few
              </td>
            ) : (
              [own.given, own.false_positive, own.false_negative, automatic, error].map((share, place) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the columns stay where they are
                <Share key={place} share={share} />
              ))
            )}
          </tr>
        );
      })}
    </PlainTable>
  );
}

function Share({ share: measured }: { share: MeasuredShare | null }) {
  if (measured === null || measured.share === null) return <td className="number muted">none</td>;
  const { share, low, high } = measured;
  return (
    <td className="number">
      {percent(share)}
      <div className="small muted">
        {percent(low)} – {percent(high)}
      </div>
    </td>
  );
}

const usual: GroupSetting = { fields: [], favoured: null, min_ratio: 0.8, max_error: null };

function GroupSheet({ type, onClose }: { type: DecisionType; onClose(): void }) {
  const [groups, setGroups] = useState(type.groups ?? usual);
  const params = { decision_type_id: type.id };
  const fields = useOperation('decision_types.get', { params, query: { fields: true } }).data?.fields ?? [];
  const setting = useSetting(type, true);
  const edit = (patch: Partial<GroupSetting>) => setGroups((before) => ({ ...before, ...patch }));
  const save = (to: GroupSetting | null) =>
    setting.save({ to: { groups: to }, title: 'Groups changed', text: 'Groups are saved.', onDone: onClose });
  return (
    <Form onSubmit={() => save(groups.fields.length > 0 ? groups : null)}>
      <div className="row">
        <TagsInput
          size="xs"
          comboboxProps={{ keepMounted: false }}
          label="By field"
          description={`Dotted paths, at most ${limits.maxGroupFields}; none has to be learned`}
          maxTags={limits.maxGroupFields}
          data={fields.map(({ path }) => path)}
          value={groups.fields}
          onChange={(chosen) => edit({ fields: chosen })}
        />
        <NativeSelect
          label="Favoured option"
          description="The one that people hope for"
          data={[{ value: '', label: 'compare each' }, ...type.active_version.options]}
          value={groups.favoured ?? ''}
          onChange={(event) => edit({ favoured: event.currentTarget.value || null })}
        />
        <NumberField
          label="Least ratio"
          description="Of the least favoured to the most"
          min={0}
          max={1}
          step={0.05}
          value={groups.min_ratio}
          onNumber={(min_ratio) => edit({ min_ratio })}
        />
        <NumberInput
          label="Most errors"
          description="Of any group, 0 to 1; empty: no limit"
          min={0}
          max={1}
          step={0.01}
          value={groups.max_error ?? ''}
          onChange={(value) => edit({ max_error: value === '' ? null : Number(value) })}
        />
      </div>
      <p className="muted">Where a group certainly falls short, a release takes a reason.</p>
      <div className="row">
        <Button variant="filled" type="submit" loading={setting.isPending}>
          Save groups
        </Button>
        <Button onClick={onClose}>Cancel</Button>
        {type.groups !== null && <Button onClick={() => save(null)}>Compare none</Button>}
      </div>
      <SettingRefusal setting={setting} />
    </Form>
  );
}
