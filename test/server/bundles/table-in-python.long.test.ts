/** The file that trained a policy is given to the Python package as it is, and decided as the service decides it. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { createRandom } from '../../../src/engine/random.ts';
import { Service } from '../../edge/served.ts';
import { requireEdgePython } from '../../edge-python.ts';
import { type Call, openForTest, temporaryFolder, train } from '../workbench.ts';

const root = resolve(import.meta.dirname, '../../..');
const python = await requireEdgePython();

/** Decides the rows of a file as it is read by pandas, and by pyarrow; prints both as JSON. */
const program = `
import contextlib, io, json, sys, zipfile
import pandas, pyarrow
from decision_edge import EdgePredictor
predictor = EdgePredictor.from_bundle(sys.argv[1])
frame = pandas.read_csv(sys.argv[2])
inputs = frame.drop(columns="decision")
assert sorted(field.path for field in predictor.fields) == sorted(inputs.columns)
decided = [
    predictor.predict_many(frame),
    predictor.predict_many(pyarrow.Table.from_pandas(inputs), strict=True),
]
card = zipfile.ZipFile(sys.argv[1]).read("model-card.md").decode()
listed = json.loads(zipfile.ZipFile(sys.argv[1]).read("manifest.json"))["fields"]
assert [field["path"] for field in predictor.info["fields"]] == [".".join(field["path"]) for field in listed]
lead = next(field for field in predictor.fields if field.path == "booking.lead.days")
lowest, highest = lead.range
assert (lowest, highest) == (frame["booking.lead.days"].min(), frame["booking.lead.days"].max())
company = next(field for field in predictor.fields if field.path == "booking.company")
assert 0.4 < company.missing < 0.6
example = card.split("\`\`\`python")[1].split("\`\`\`")[0].strip()
printed = io.StringIO()
with contextlib.redirect_stdout(printed):
    exec(example.replace("bundle.zip", sys.argv[1]))
assert printed.getvalue().strip() == example.split("# ")[-1], example
assert decided[0][0].unread == ["'decision' is no field of the policy"]
json.dump([[decision.to_dict() for decision in table] for table in decided], sys.stdout)
`;

/** Reads a file as people write it: by pandas' own options, as the package's page says, and as texts in other ways. */
const writtenProgram = `
import csv, json, sys
import pandas, pyarrow.csv
from decision_edge import EdgePredictor
predictor = EdgePredictor.from_bundle(sys.argv[1])
page = open(sys.argv[3], encoding="utf-8").read()
recipe = next(part.split("\`\`\`")[0] for part in page.split("\`\`\`python") if "decimal=" in part)
space = {"predictor": predictor, "pandas": pandas}
exec(recipe.replace("orders.csv", sys.argv[2]), space)
with open(sys.argv[2], encoding="utf-8") as file:
    rows = list(csv.DictReader(file, delimiter=";"))
for row in rows:
    del row["Ergebnis"]
texts = pandas.read_csv(sys.argv[2], sep=";", dtype=str).drop(columns="Ergebnis")
names = {name: pyarrow.string() for name in texts.columns}
options = pyarrow.csv.ConvertOptions(column_types=names)
table = pyarrow.csv.read_csv(sys.argv[2], parse_options=pyarrow.csv.ParseOptions(delimiter=";"), convert_options=options)
ways = {
    "recipe": space["results"],
    "dicts": [predictor.predict(row, strict=True) for row in rows],
    "many dicts": predictor.predict_many(rows, strict=True),
    "pandas texts": predictor.predict_many(texts, strict=True),
    "pandas, empty texts": predictor.predict_many(texts.fillna(""), strict=True),
    "arrow": predictor.predict_many(table.drop_columns("Ergebnis"), strict=True),
}
assert all(not decision.unread for way in ways.values() for decision in way)
odd = {**rows[0], "Betrag": "viel", "Stammkunde": "vielleicht"}
told = [predictor.predict(odd), *predictor.predict_many([odd]), *predictor.predict_many(pandas.DataFrame([odd]))]
unread = [decision.unread for decision in told]
json.dump([unread, {name: [decision.to_dict() for decision in way] for name, way in ways.items()}], sys.stdout)
`;

/** Bookings with dotted headers; half of the companies, and some of the other cells, are empty. */
function makeBookings(): string {
  const random = createRandom(7);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const header = 'stay.adults,stay.nights,booking.lead.days,booking.company,booking.deposit,channel,arrival,decision';
  const rows = Array.from({ length: 600 }, () => {
    const [lead, deposit, channel] = [Math.floor(random() * 300), pick(['True', 'False', '']), pick(['web', 'agent'])];
    const risk = lead / 300 + (deposit === 'True' ? -0.5 : 0) + (channel === 'web' ? 0.2 : 0) + random() * 0.2;
    const company = random() < 0.5 ? '' : String(Math.floor(random() * 9));
    const day = `2026-${pick(['01', '05', '11'])}-${pick(['03', '17', '28'])}`;
    const cells = [pick([1, 2, 3]), pick([1, 2, 7, 30]), lead, company, deposit, channel, day];
    return [...cells, risk > 0.55 ? 'cancelled' : 'kept'].join(',');
  });
  return [header, ...rows].join('\n');
}

type Decided = { decision: string; stage: string; confidence: number; unfamiliar: boolean };

/** Imports a file into a new type, trains it, and writes the bundle and the file into a folder. */
async function trainOn(content: string, type: object) {
  const bench = await openForTest();
  const { call } = bench;
  const created = await call('POST', '/api/v1/decision-types', type);
  expect(created.status, created.text).toBe(201);
  const url = `/api/v1/decision-types/${created.body.id}`;
  const imported = await call('POST', `${url}/examples/import`, { content, commit: true });
  expect(imported.status, imported.text).toBe(200);
  await train(call, url);
  const headers = { authorization: `Bearer ${bench.token}`, host: '127.0.0.1' };
  const exported = await bench.app.inject({ url: `${url}/export`, headers });
  const folder = temporaryFolder();
  const [bundle, table] = [join(folder, 'bundle.zip'), join(folder, 'table.csv')];
  writeFileSync(bundle, exported.rawPayload);
  writeFileSync(table, content);
  return { call, url, bundle, table };
}

function runPython(code: string, ...files: string[]) {
  const run = spawnSync(python, ['-c', code, ...files], {
    env: { ...process.env, PYTHONPATH: join(root, 'edge/src') },
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  expect(run.status, run.stderr).toBe(0);
  return JSON.parse(run.stdout);
}

/** Asks the service for each input, and compares; gives the stages that decided. */
async function compare(call: Call, name: string, inputs: object[], tables: Decided[][]): Promise<string[]> {
  const stages = new Set<string>();
  for (let start = 0; start < inputs.length; start += 50) {
    const requests = inputs.slice(start, start + 50).map((input) => ({ decision_type: name, input }));
    const { text, body } = await call('POST', '/api/v1/decide/batch', requests);
    expect(body.succeeded, text).toBe(50);
    for (const [offset, result] of body.results.entries()) {
      stages.add(result.stage);
      for (const decided of tables) {
        const { decision, stage, unfamiliar } = result;
        expect(decided[start + offset]).toMatchObject({ decision, stage, unfamiliar });
        expect(Math.abs((decided[start + offset]?.confidence ?? 0) - result.confidence)).toBeLessThanOrEqual(1e-6);
      }
    }
  }
  return [...stages].sort();
}

test('all 600 rows of an imported file are decided alike, empty cells, dotted headers and named lists as they stand [RUL-13]', async () => {
  const type = {
    name: 'bookings',
    options: ['kept', 'cancelled'],
    lists: { long_stays: [21, 30] },
    hard_rules: [
      {
        name: 'long stay',
        condition: 'ctx.stay.nights in lists.long_stays && ctx.stay.adults == 3',
        then: 'kept',
        reason_code: null,
        priority: 1,
      },
    ],
  };
  const content = makeBookings();
  const { call, bundle, table } = await trainOn(content, type);
  const tables: Decided[][] = runPython(program, bundle, table);
  const inputs = content
    .split('\n')
    .slice(1)
    .map((line) => {
      const [adults, nights, days, company, deposit, channel, arrival] = line.split(',');
      return {
        stay: { adults: Number(adults), nights: Number(nights) },
        booking: {
          lead: { days: Number(days) },
          ...(company === '' ? {} : { company: Number(company) }),
          ...(deposit === '' ? {} : { deposit: deposit === 'True' }),
        },
        channel,
        arrival,
      };
    });
  expect(await compare(call, 'bookings', inputs, tables)).toEqual(['classifier', 'rules']);
}, 600_000);

/** Orders as a German spreadsheet writes them, and the inputs that are meant. */
function makeOrders() {
  const random = createRandom(11);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const german = (value: number, decimals: number) =>
    value
      .toFixed(decimals)
      .replace('.', ',')
      .replace(/\B(?=(\d{3})+,)/g, '.');
  const inputs: object[] = [];
  const rows = Array.from({ length: 600 }, () => {
    const [amount, discount, branch] = [
      Math.round(random() * 300_000) / 100,
      pick([0, 5, 10]),
      pick(['007', '012', '120']),
    ];
    const [regular, mark] = [pick([true, false, null]), random() < 0.2 ? null : Math.round(random() * 40) / 10];
    const [month, day] = [pick(['01', '04', '11']), pick(['03', '17', '28'])];
    const marks = ['Neukunde', 'Ausland', 'Rechnung', 'Eilt'].filter(() => random() < 0.4);
    const since = pick(['2019-03', '2021-10', '2024-05']);
    inputs.push({
      Eingang: `2026-${month}-${day}`,
      Betrag: amount,
      Rabatt: discount,
      Filiale: branch,
      Seit: `${since}-01`,
      ...(marks.length === 0 ? {} : { Merkmale: marks }),
      ...(regular === null ? {} : { Stammkunde: regular }),
      ...(mark === null ? {} : { Note: mark }),
    });
    const risk =
      amount / 3000 +
      (branch === '007' ? 0.3 : 0) -
      (regular ? 0.4 : 0) +
      (marks.includes('Ausland') ? 0.4 : 0) +
      random() * 0.2;
    const cells = [
      `${day}.${month}.2026`,
      `${german(amount, 2)} €`,
      `${discount} %`,
      branch,
      marks.join(', '),
      since.split('-').reverse().join('/'),
    ];
    const word = regular === null ? '?' : regular ? 'ja' : 'nein';
    return [...cells, word, mark === null ? 'k.A.' : german(mark, 1), risk > 0.5 ? 'prüfen' : 'frei'].join(';');
  });
  return {
    content: ['Eingang;Betrag;Rabatt;Filiale;Merkmale;Seit;Stammkunde;Note;Ergebnis', ...rows].join('\n'),
    inputs,
  };
}

/** What a running decision-edge says of inputs, in batches of 50. */
async function askService(bundle: string, name: string, inputs: readonly object[]): Promise<Decided[]> {
  const { address } = await Service.startForStory(bundle);
  const decided: Decided[] = [];
  for (let start = 0; start < inputs.length; start += 50) {
    const requests = inputs.slice(start, start + 50).map((input) => ({ decision_type: name, input }));
    const answer = await fetch(`${address}/api/v1/decide/batch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(requests),
    });
    decided.push(...((await answer.json()) as { results: Decided[] }).results);
  }
  return decided;
}

test('600 rows of a file as people write it are decided as they stand as the converted rows, in every way [RDG-5] [RDG-3]', async () => {
  const { content, inputs } = makeOrders();
  const { call, url, bundle, table } = await trainOn(content, { name: 'orders', options: ['frei', 'prüfen'] });
  const { items } = (await call('GET', `${url}/examples?page_size=100`)).body;
  for (const { input_payload } of items) expect(inputs.map(dropNulls)).toContainEqual(dropNulls(input_payload));
  const [header = [], ...lines] = content.split('\n').map((line) => line.split(';').slice(0, -1));
  const cells = lines.map((line) => Object.fromEntries(line.map((cell, at) => [header[at] ?? '', cell])));

  const [unread, ways] = runPython(writtenProgram, bundle, table, join(root, 'edge/README.md'));
  const asTheyStand: Decided[] = [];
  for (const input of cells)
    asTheyStand.push((await call('POST', '/api/v1/decide', { decision_type: 'orders', input })).body);
  const served = await askService(bundle, 'orders', cells);
  const all = [asTheyStand, served, ...(Object.values(ways) as Decided[][])];
  expect(all.map((each) => each.length)).toEqual(Array(8).fill(600));
  expect(await compare(call, 'orders', inputs, all)).toEqual(['classifier']);
  expect(await compare(call, 'orders', cells, [asTheyStand])).toEqual(['classifier']);

  // What is not of its kind is said, everywhere alike, and counts as missing.
  const odd = { ...cells[0], Betrag: 'viel', Stammkunde: 'vielleicht' };
  const { body } = await call('POST', '/api/v1/decide', { decision_type: 'orders', input: odd });
  const said = ["'Betrag' must be a number with a decimal comma in €", "'Stammkunde' must be yes or no (ja, nein)"];
  expect([body.unread, ...unread]).toEqual([said, said, said, said]);
  const { Betrag: _amount, Stammkunde: _regular, ...rest } = inputs[0] as Record<string, unknown>;
  const missing = await call('POST', '/api/v1/decide', { decision_type: 'orders', input: rest });
  expect([body.decision, body.confidence]).toEqual([missing.body.decision, missing.body.confidence]);
}, 600_000);

const dropNulls = (input: object) => Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));

/** Tickets as a helpdesk exports them: a cell is the HTML of a mail, some are plain. */
function makeTickets() {
  const random = createRandom(5);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const words = {
    billing: ['invoice', 'refund', 'payment', 'charged twice', 'credit card'],
    access: ['password', 'login', 'locked account', 'two-factor code', 'reset link'],
  };
  const tickets = Array.from({ length: 160 }, (_, at) => {
    const answer = at % 2 === 0 ? 'billing' : 'access';
    const [one, other, opening] = [pick(words[answer]), pick(words[answer]), pick(['Hello', 'Hi all', 'Dear team'])];
    const plain = `${opening}, it's about my ${one} & the ${other}.\nCase number ${at}`;
    const html = `<div class="mail ${pick(['billing', 'access'])}"><style>p { color: red }</style><p>${opening}, it&#39;s about my <b>${one}</b>&nbsp;&amp; the ${other}.</p><p>Case number ${at}</p></div>`;
    return { answer, plain, body: at % 5 === 0 ? plain : html };
  });
  const quote = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
  const content = ['body,answer', ...tickets.map(({ body, answer }) => `${quote(body)},${answer}`)].join('\n');
  return { tickets, content };
}

const textProgram = `
import csv, json, sys
from decision_edge import EdgePredictor
predictor = EdgePredictor.from_bundle(sys.argv[1])
rows = [{"body": row["body"]} for row in csv.DictReader(open(sys.argv[2], newline="", encoding="utf-8"))]
many, single = predictor.predict_many(rows), [predictor.predict(row) for row in rows]
plain = predictor.predict_many([{"body": text} for text in json.load(open(sys.argv[3], encoding="utf-8"))])
json.dump([[decision.to_dict() for decision in part] for part in (many, single, plain)], sys.stdout)
`;

test('tickets in HTML are learned, decided and explained by what a person reads, in Python alike [FEA-7]', async () => {
  const { tickets, content } = makeTickets();
  const { call, url, bundle, table } = await trainOn(content, { name: 'tickets', options: ['billing', 'access'] });
  const { items } = (await call('GET', `${url}/examples?page_size=100`)).body;
  const bodies = tickets.map(({ body }) => body);
  for (const { input_payload } of items) expect(bodies).toContain(input_payload.body);
  const plain = join(temporaryFolder(), 'plain.json');
  writeFileSync(plain, JSON.stringify(tickets.map((ticket) => ticket.plain)));
  // The last of the tables is of what is seen of the cells: nothing else decides.
  const tables: Decided[][] = runPython(textProgram, bundle, table, plain);
  const inputs = tickets.slice(0, 150).map(({ body }) => ({ body }));
  expect(await compare(call, 'tickets', inputs, tables)).toContain('classifier');
  const right = tables[0]?.filter(({ decision }, at) => decision === tickets[at]?.answer).length ?? 0;
  expect(right).toBeGreaterThan(150);
  const [html] = items.filter(({ input_payload }: { input_payload: { body: string } }) =>
    input_payload.body.startsWith('<div'),
  );
  const { words } = (await call('POST', `${url}/examples/${html.id}/explain`)).body;
  const named = words.map(({ start, end }: { start: number; end: number }) =>
    html.input_payload.body.slice(start, end),
  );
  expect(named.join(' ')).toContain('Case');
  expect(named.join(' ')).not.toMatch(/div|class|mail|style|color|nbsp/);
}, 600_000);

const chatProgram = `
import json, sys
from decision_edge import EdgePredictor
predictor = EdgePredictor.from_bundle(sys.argv[1])
assert [field.kind for field in predictor.fields] == ["conversation"], predictor.fields
rows = [json.loads(line) for line in open(sys.argv[2], encoding="utf-8")]
inputs = [{"chat": row["chat"]} for row in rows]
many, single = predictor.predict_many(inputs), [predictor.predict(each) for each in inputs]
assert not any(decision.unread for decision in many + single)
json.dump([[decision.to_dict() for decision in part] for part in (many, single)], sys.stdout)
`;

test('a chat log of turns is learned and decided as text, in Python alike [FEA-8]', async () => {
  const { tickets } = makeTickets();
  const chats = tickets.map(({ plain, body, answer }, at) => ({
    chat: [
      { role: 'customer', content: at % 2 === 0 ? plain : body },
      { role: 'agent', content: 'I will look into it' },
    ],
    answer,
  }));
  const content = chats.map((chat) => JSON.stringify(chat)).join('\n');
  const { call, bundle, table } = await trainOn(content, { name: 'chats', options: ['billing', 'access'] });
  const tables: Decided[][] = runPython(chatProgram, bundle, table);
  const inputs = chats.slice(0, 150).map(({ chat }) => ({ chat }));
  expect(await compare(call, 'chats', inputs, tables)).toContain('classifier');
  const right = tables[0]?.filter(({ decision }, at) => decision === chats[at]?.answer).length ?? 0;
  expect(right).toBeGreaterThan(150);
}, 600_000);
