/** How it is known that what was found about examples is of these examples. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type ExampleRecord, initialExample } from '../../../src/engine/examples/fields.ts';
import { openDatabase, readMigrations } from '../../../src/server/store/database.ts';
import type { ExampleChange } from '../../../src/server/store/examples/example-changes.ts';
import { ExampleRowWriter } from '../../../src/server/store/examples/examples.ts';
import { createStore } from '../../../src/server/store/store.ts';
import { temporaryFolder } from '../workbench.ts';

const migrations = readMigrations(join(import.meta.dirname, '../../../src/server/store/migrations'));

function openStore() {
  const db = openDatabase(join(temporaryFolder(), 'workbench.db'), { synchronous: 'NORMAL', migrations });
  db.exec(`
    INSERT INTO organisations (id, name, plan_since, created_at) VALUES ('o', 'Shop', 0, 0);
    INSERT INTO decision_types (id, organisation_id, name, description, pii_fields, active_version_id, created_at, updated_at)
      VALUES ('t', 'o', 'refunds', '', '[]', 'v', 0, 0);
    CREATE TEMP TABLE written (decision_type_id TEXT NOT NULL);
    CREATE TEMP TRIGGER inserted AFTER INSERT ON main.examples BEGIN INSERT INTO written VALUES (NEW.decision_type_id); END;
    CREATE TEMP TRIGGER updated AFTER UPDATE ON main.examples BEGIN INSERT INTO written VALUES (NEW.decision_type_id); END;
    CREATE TEMP TRIGGER deleted AFTER DELETE ON main.examples BEGIN INSERT INTO written VALUES (OLD.decision_type_id); END;`);
  const writes = db.prepare<[], number>('SELECT count(*) FROM written').pluck();
  return { db, store: createStore(db, { now: () => 0, monotonic: () => 0 }), countWrites: () => writes.get() ?? 0 };
}

const example = (id: string, changes: Partial<ExampleRecord> = {}): ExampleRecord => ({
  id,
  decisionTypeId: 't',
  input: { message: id },
  ...initialExample,
  decision: 'approve',
  createdAt: 0,
  updatedAt: 0,
  ...changes,
});

it('every write of examples, one by one or many at once, moves the revision of their type', () => {
  const { db, store, countWrites } = openStore();
  const { examples, exampleChanges, labelling } = store;
  const rows = new ExampleRowWriter('t', 0);
  for (const id of ['c', 'd', 'e']) rows.add(example(id));
  const unkept = new ExampleRowWriter('t', 0);
  unkept.add(example('f'));
  const all = { filter: {} };
  const version = { versionId: 'v', fallbackOption: null };
  const acts: [string, () => unknown][] = [
    ['insert', () => examples.insert(example('a'))],
    ['insert without a label', () => examples.insert(example('b', { decision: null }))],
    ['insert a part', () => examples.insertPart(rows.finish(), 0)],
    ['insert another', () => examples.insertPart(unkept.finish(), 0)],
    ['remove what was not kept', () => examples.removePart('t')],
    ['update', () => examples.update(example('a', { mark: 'flagged' }))],
    ['label by a teacher', () => labelling.labelByTeacher('t', 'b', 'deny', 1)],
    ['mark as test rows', () => change('test', { set: 'test', to: true })],
    ['skip', () => change('skip', { set: 'status', to: 'skipped' })],
    ['delete', () => change('delete', 'delete')],
    ['undo a deletion', () => undo('delete')],
    ['undo a mark', () => undo('skip')],
    ['merge', () => changeOption('merge', 'label', 'approve', 'deny')],
    ['undo a merge', () => undo('merge')],
    ['rename', () => changeOption('rename', 'rename', 'approve', 'accept')],
    ['remove', () => examples.remove('t', 'a')],
    ['remove a label', () => changeOption('remove', 'delete', 'accept', null)],
  ];
  function change(token: string, to: ExampleChange): void {
    exampleChanges.begin({
      token,
      typeId: 't',
      at: 1,
      plan: { selection: all, change: to, reader: null },
      option: null,
    });
    exampleChanges.goOn('t');
  }
  function undo(token: string): void {
    exampleChanges.turnBack(token, null);
    exampleChanges.goOn('t');
  }
  function changeOption(token: string, how: 'rename' | 'label' | 'delete', from: string, into: string | null): void {
    const option = { from, into, isRename: how === 'rename', before: version, after: version };
    exampleChanges.begin({ token, typeId: 't', at: 4, plan: { how }, option });
    exampleChanges.goOn('t');
  }
  for (const [name, act] of acts) {
    if (name === 'insert another') examples.keepParts('t');
    const [writes, revision] = [countWrites(), examples.readRevision('t')];
    act();
    expect(countWrites(), `${name} writes`).toBeGreaterThan(writes);
    expect(examples.readRevision('t'), name).toBe(revision + 1);
    expect(examples.readRevision('another'), name).toBe(0);
    while (exampleChanges.goOn('t') !== null) {}
  }
  db.close();
});
