/**
 * Every statement of the service's interface, one a row, with an id. Tests cite the ids in their names: `[DEC-5]`.
 * `npm run check` fails for a row that no test cites, for a citation of an unknown row, and for a waived row that a
 * test does cite. A row is waived only with the reason beside it.
 */
export type Requirement = string | { statement: string; waived: string };

const service = {
  'SVC-1': 'Hard rules are evaluated first; the first match decides and the classifier does not run.',
  'SVC-2':
    'The classifier answers with a decision, a confidence of 0 to 1, a probability for every option and reason codes.',
  'SVC-3': 'A live model is used only where escalation is configured; otherwise the configured fallback applies.',
  'SVC-4': 'The stage of an answer names what produced it: rules, classifier, escalation or fallback.',
  'SVC-5': 'Decisions, training, generation and hosting consume credits.',
  'SVC-6': 'The normal path of a decision makes no live model call.',
  'SVC-8': 'Training, generation and labelling use an offline teacher model.',
  'SVC-7': {
    statement: 'The compiled stage aims at a latency below 100 ms.',
    waived: 'A target that depends on the machine: test/bench measures it.',
  },
  'SYS-1': 'GET / answers 200 with service, by, version, documentation, openapi and health, all strings.',
  'SYS-2': 'GET /health answers 200 with string values, whatever state the service is in.',
  'SYS-3': 'GET /ready answers strings, booleans or integers about the database, the cache and the models.',
  'SYS-4': 'GET /openapi.json redirects to the published schema.',
  'SYS-5': 'The system routes need no credentials, but for /metrics.',
  'SYS-6':
    'GET /metrics gives, in the text format of Prometheus, counts since the start by the names and labels of decision-edge serve (decisions of the own organisation, refusals, seconds of requests), and the state of the service; it reads no log.',
  'SYS-7': 'A call with a valid traceparent and no X-Request-ID has the id of its trace as its own.',
  'ALR-1':
    'Alerts are a broken promise, drift, a policy that cannot be used, a disk nearly full and a failed backup: each is sent once where it begins and once where it ends, to nobody unless somebody says to whom.',
  'ALR-2':
    'A webhook is sent a POST, signed as Standard Webhooks has it, again until it takes it, also after a restart, and once each; the last one is kept with its result.',
  'ALR-3':
    'A command that the start of the program names is run without shell and arguments, for at most ten seconds, with the alert as JSON on its standard input.',
  'VRS-1': 'The API is versioned by the path prefix /api/v1; the root route reports the version of the service.',
};

const tab = {
  'TAB-1':
    'The workbench in a tab is one HTML file that opens from disk: a dropped CSV, Excel or JSON file becomes, by one question and with progress and a stop, a policy with its number, its matrix down to the rows, and a form to try it; nothing leaves the page.',
  'TAB-2': 'The same rows give the same bundle, byte for byte, in Chromium, Firefox and Node.',
  'TAB-3':
    'What a tab made is kept as a page that decides, as a bundle, and as a project, which the workbench imports with its figures and the tab goes on with.',
  'TAB-4': 'Rows without an answer are labelled in the tab by keys, with undo, and learned by the next training.',
  'TAB-5': 'Of many rows the tab learns some first, and shows their number while it learns all.',
};

const decisionTypes = {
  'TYP-1':
    'A decision type has id, name, description, active_version, pii_fields, retention_days, fallback_option, model_deployed, created_at and updated_at.',
  'TYP-2': 'A name is unique among the types of an organisation that are not deleted; a taken one is a 409 conflict.',
  'TYP-37':
    'A deleted type can be restored for two days with all that was in it, and decides again; a name taken meanwhile is a 409 conflict.',
  'TYP-38':
    'A deleted type that cannot be restored any more leaves the data folder with its examples, policies and log; credits stay.',
  'TYP-3': 'pii_fields defaults to empty.',
  'TYP-4': 'name, description, pii_fields and retention_days change the record and make no version.',
  'TYP-5': 'model_deployed is true exactly while a policy is deployed.',
  'TYP-6': 'POST answers 201; name and options are required.',
  'TYP-7': 'description, reason_codes and rules may be given at the creation.',
  'TYP-8': 'In an update every field is optional.',
  'TYP-9':
    'A change of options, reason_codes, hard_rules, lists, input_schema, confidence_thresholds or escalation_policy makes a new version.',
  'TYP-10': 'The same logic sent again makes no version.',
  'TYP-11': 'A name has 1 to 100 characters.',
  'TYP-12': 'There are 2 to 200 options, distinct and not empty.',
  'TYP-13': 'There are 0 to 500 reason codes.',
  'TYP-14': 'rules and hard_rules are the same field of a request; answers carry hard_rules.',
  'TYP-15': 'Thresholds default to auto_decide 0.85 and escalation 0.6; 0 <= escalation <= auto_decide <= 1.',
  'TYP-16': 'fallback_option defaults to null and is one of the options otherwise.',
  'TYP-17': 'escalation_policy has enabled, between, connection and timeout_ms, with the defaults false and flag.',
  'TYP-18': 'An input schema is JSON Schema 2020-12 of at most 64 KiB and depth 32, without references elsewhere.',
  'TYP-19': 'An input that fails the schema is a 422 whose loc points into the input.',
  'TYP-20':
    'Values of pii_fields are replaced by a keyed digest, the same for the same value, before anything is written.',
  'TYP-21':
    'retention_days is null or 1 to 3650, default 90; older log records leave every answer and are really deleted.',
  'TYP-22': 'Rules, thresholds, fallback and escalation of the active version apply at once.',
  'TYP-23':
    'After a change of the options, or with another text model, the policy goes on as far as it can and the type shows needs_retraining.',
  'TYP-24': 'A deleted type is in no query any more; its versions, examples, policies and logs are preserved.',
  'TYP-25': 'GET lists the types in the pagination envelope; GET of one shows its active version.',
  'TYP-26': 'DELETE answers 204 without a body.',
  'TYP-27': 'Renaming an option everywhere is one operation that first shows what it touches.',
  'TYP-28': 'The decision type of another organisation does not exist for the caller.',
  'TYP-29': 'An enabled escalation that names a connection which does not exist is a 422 at its place.',
  'TYP-30':
    'A path of pii_fields may name an object, pass through a list or mean a key with dots: all it can mean is redacted.',
  'TYP-31': 'No value of a PII field enters a bundle or is sent to a connected model.',
  'TYP-34':
    'While policies or log records may hold values of a PII field that was declared later, pii_residue says which and how many.',
  'TYP-35':
    'What leaves is redacted by the present pii_fields: logs, their exports, held-out rows and bundles; a bundle that learned such values is a 409 conflict.',
  'TYP-36':
    'POST pii-residue/clear rewrites the log records in the background, also across a restart, until none of the values is left on the disk.',
  'TYP-39':
    'Define says what may still hold values of PII fields declared late, and masks them in the log by one button.',
  'TYP-40':
    'No type is called latest, . or .., by another name that decision models are asked by, or by one with an @: not by creation, renaming, an import or an archive. One that is from before goes on working, and name_notice offers another name.',
  'TYP-41':
    'The name of a type that looks like the name of another one (the skeletons of TR39 are equal) is a 409 conflict.',
  'TYP-42':
    'Names of types, options, reason codes, rules and fields are NFC and hold no control, format or zero-width signs; joiners stay within words and emoji. Labels of a file are cleaned.',
  'TYP-32':
    'What an input schema may hold is bounded where it is saved, and the 422 names the place; no input holds up others.',
  'TYP-33': 'A name of a type or an API key, an option or a reason code of only blanks is refused.',
  'SMP-1':
    'The sample project is right on nine of ten held-out rows after one training; its rules match, and it has wrong labels to find.',
  'AVL-1':
    'A deployed policy that cannot be loaded stays deployed: availability and the 503 of what no rule decides say why.',
  'AVL-2': 'A policy that cannot be loaded is tried again by itself, and at once by a call after its files changed.',
  'AVL-3': 'A text that waits when the encoder dies is asked once more of the next one.',
  'VER-1':
    'A version has id, version_number, options, reason_codes, hard_rules, lists, input_schema, confidence_thresholds, escalation_policy and created_at.',
  'VER-2': 'A version never changes; earlier ones stay readable.',
  'VER-3': 'GET versions answers an array; GET of one answers that version, or 404.',
  'VER-4': 'No operation makes an earlier version active again.',
  'VER-5': 'A policy names the version that it was trained on, and carries an integer version of its own.',
  'RUL-1': 'A rule has name, condition, then, reason_code and priority.',
  'RUL-2': 'A condition compares, combines with &&, tests lists with exists and reaches into nested objects of ctx.',
  'RUL-3': 'A condition with a syntax error is refused at the creation.',
  'RUL-4': 'A rule whose then is no option is refused.',
  'RUL-5': 'A rule whose reason code is not one of the type is refused.',
  'RUL-6': 'Rules run in ascending priority, equal ones in listed order; the first match decides at once.',
  'RUL-7': 'Where no rule matches the classifier goes on.',
  'RUL-8': 'There are up to 200 rules and their names are unique.',
  'RUL-9': 'A rule that fails on an input does not match; trace and log have the error and the call goes on.',
  'RUL-10': 'The rules language is the documented part of CEL over JSON, with its limits.',
  'RUL-11': 'Only own keys of the input are seen by a rule.',
  'RUL-12':
    'Rules are proposed from the examples: short conditions with a lower bound of their precision, and none on labels by chance.',
  'RUL-13':
    'A type has named lists, which conditions name (ctx.country in lists.eu): rules, trace and bundle decide by the values, and a list that a rule names cannot be taken away.',
  'RUL-14':
    'A value that makes its part fail on every input, and a whole number with more digits than a double keeps, is told when the rule is checked.',
  'RUL-16':
    'What a function can never give, texts out of order, computed decimals that must be equal and days that do not exist are told when the rule is checked.',
  'RUL-17':
    'A rule may be a hint: it teaches a training the rows without a label on which hints agree, decides and measures nothing, and is in no bundle',
  'RUL-15': 'What other languages write differently is refused with what to write here.',
};

const deciding = {
  'DEC-1': 'A request has decision_type (the name) and input, both required.',
  'DEC-2': 'type and decision_type_name are aliases of decision_type.',
  'DEC-3': 'The id of a decision type is not its name: 404 decision_type_not_found.',
  'DEC-4':
    'An answer has decision, confidence, reason_codes, escalate, fallback_used, unfamiliar, rules_triggered, latency_ms, policy_version, class_probabilities, explanation, request_id and stage.',
  'DEC-5': 'Without a deployed policy: 428 model_not_deployed, even where a rule would match.',
  'DEC-6': 'The input schema is checked before the rules.',
  'DEC-7':
    'A rule decides with confidence 1, probability 1 for its option and 0 for the others, its reason code and its name alone in rules_triggered.',
  'DEC-8': 'policy_version is v and the version of the policy.',
  'DEC-9':
    'request_id is the X-Request-ID of the caller where it is usable, otherwise a new one; the header echoes it.',
  'DEC-10': 'trace=true adds rules, features, contributions, thresholds, times and truncated fields.',
  'DEC-11': 'The answer leaves after its log record and its credit entry are durable.',
  'DEC-12':
    'dry_run=true answers as the call would and says so, without a log record, a credit entry or a question to a connected model; a used-up quota refuses it all the same.',
  'DEC-13':
    'A dry run and an explanation say which fields of the input the policy does not have or read, as the Python package does: at most twenty and how many more, with hints within one budget of work.',
  'DEC-16':
    'Whole numbers beyond 2^53 that lose digits as doubles are named in the answer of a decision, to an agent and by the Python package, and refused in examples with their place and the remedy.',
  'THR-1': "At or above auto_decide the classifier's decision is returned, not escalated.",
  'THR-2': 'Between the thresholds the escalation policy says what happens: accept, flag, fallback or escalate.',
  'THR-3': 'Below escalation the fallback applies (stage fallback, fallback_used, escalate); without one, the flag.',
  'THR-4':
    'The confidence of a decision is that of the option decided, at every door; where the fallback or a connected model decided otherwise, what the classifier chose stands beside it with its probability.',
  'THR-5': 'A live escalation that fails or times out ends in the fallback.',
  'THR-6': 'An unfamiliar input counts as below escalation and the answer says so.',
  'THR-7':
    'A connected model that is asked decides in the stage escalation, with the probabilities of the classifier, of which its option has the confidence.',
  'THR-8':
    'The checks that tell unfamiliar inputs are chosen by leaving options out of learning; the report says what they notice of near and of far inputs, with intervals.',
  'FEA-1': 'Numbers are z-score normalised.',
  'FEA-2': 'Booleans are binary-encoded.',
  'FEA-3': 'Short strings are categories.',
  'FEA-4': 'Long strings go through the text model.',
  'FEA-5': 'Arrays are summarised by length and aggregates.',
  'FEA-6': 'Nested objects are flattened with dots.',
  'FEA-7':
    'Texts that are HTML are learned, decided, explained and shown as what a person sees of them; the cell stays as it is.',
  'FEA-8': 'Lists of turns with role and content are learned and decided as text, and shown as turns.',
  'FEA-9':
    'A text whose lines begin turns (“Customer: …”, “[10:32] Anna: …”) is the same kind of field, shown as turns with the words marked that weighed.',
  'FEA-10':
    'Of two dates the days between them are an input by itself, at most three such, unless days_between of the training is false; notes and traces name it “reported − damaged, days”, and it is a column of the sheet of rules.',
  'BAT-1': 'A batch is an object with decisions, or the bare array.',
  'BAT-2': 'A batch has 1 to 50 items, else 422.',
  'BAT-3': 'results has the length and order of the request; a failed item is null.',
  'BAT-4':
    'Each null has an error with its index, decision_type, code, message, status_code, retryable and request_id.',
  'BAT-5': 'A failing item does not fail the batch: the answer is 200.',
  'BAT-6': 'retryable is true only for 429, 500 and 503.',
  'BAT-7': 'Items run in their order and are billed as single calls: a quota that ends within a batch ends there.',
  'BAT-8': 'The answer carries succeeded and failed.',
  'BAT-9': 'The message of a refused item names the place in it and what is wrong there.',
};

const decisionModels = {
  'MDL-1':
    'POST /v1/systemone and POST /v1/decisions answer a choice by the probabilities of /api/v1/decide, with the same log and charge; what the workbench decided stands beside, unless X-Workbench-Extras is off.',
  'MDL-2':
    'Which type answers a question is decided by what is asked, names and marks, and never by what was asked before; options alone find a type only where the state has a field of it; what fits none is refused with the types and the difference.',
  'MDL-3': 'Several types of one call share the reading of its text, and all or none of their decisions are recorded.',
  'MDL-4':
    'A yes or no is the probability of the option that a person has marked for its wording, a score the mean place of options that stand in a stated order; unmarked both are refused.',
  'MDL-5':
    'What is asked about is an object, a text that is one, the last message of the user, or the only text that a type reads; bodies may be compressed by zstd.',
  'MDL-6': 'Errors have the shape of their format, never a 5xx for what a client sent; /v1/models serves both.',
  'MDL-7':
    'The clients of OpenAI and TypeSafe for Python and Node, both of LangChain, LiteLLM, DSPy and ThinkLess ask unmodified and get these answers.',
  'MDL-8':
    'decision-edge serve answers both formats by the bundles that it serves; a bundle carries the marks for a yes or no and a score.',
};

const examples = {
  'MDL-9': 'A call in either format with an Idempotency-Key is decided once; a repeated one gets the first answer.',
  'EXA-1':
    'An example is given with input_payload or input, expected_decision or decision, reason_codes or reason_code.',
  'EXA-2': 'expected_decision is one of the options, or null.',
  'EXA-3': 'POST answers 201 with the array of examples, all or none of them.',
  'EXA-4':
    'An example comes back as id, decision_type_id, input_payload, expected_decision, reason_codes, source, reviewed, status, note, labelled_by, created_at and updated_at.',
  'EXA-5': 'The list is paginated and filtered by source and reviewed.',
  'EXA-6': 'The list is filtered by decision, labelled and search, too.',
  'EXA-18':
    'The list is sorted by created_at, updated_at, decision or a field of the input, in either direction; equal values stand newest first and missing ones last, on all pages alike.',
  'EXA-19': 'page_of answers the page on which an example stands, in any order and under any filter.',
  'GRD-1':
    'The list and bulk changes are filtered by tests of fields (min, max, above, below, one_of, contains, empty), whatever a field is called; the same rows in any order.',
  'GRD-2':
    'The table of examples is filtered by its columns; the filters stand as chips above it and in the address, and all selected rows are those that pass them.',
  'GRD-3': 'Words are searched for as they are typed.',
  'GRD-4': 'The columns of the table are chosen, and views of it kept under a name, for each type in this browser.',
  'EXA-7': 'stats gives total, labelled, unlabelled, reviewed, by_source, by_option and by_queue.',
  'EXA-8': 'DELETE of one answers 204.',
  'EXA-9': 'A call adds at most 10,000 examples.',
  'EXA-10': 'A type holds at most 200,000 examples; beyond: 422 with current, requested, maximum and remaining.',
  'EXA-11': 'PATCH changes one example.',
  'EXA-17':
    'A PATCH that names the label it replaces is a 409 conflict where another one stands there, and changes nothing; sent again it is none.',
  'EXA-12': 'A bulk change sets labels or reviewed or deletes, over ids or a filter, and can be undone.',
  'EXA-13': 'An import of CSV, TSV, JSON or JSONL is previewed first and written whole or not at all.',
  'FIL-1':
    'The kind of a column is found by all of its values, with the reason: numbers with decimal comma, thousands, money or percent, dates in any order and in five languages, yes and no, missing words; it can be changed.',
  'FIL-2': 'A date whose order no value of its column tells is asked about and never guessed.',
  'FIL-3':
    'Where more than one column could be the answer it is asked for, with up to three candidates and their values.',
  'FIL-4':
    'Columns that only name the row, or follow from the answer, are left out with a sentence and can be taken back in.',
  'FIL-5': 'Of a workbook the fullest sheet is read, below its titles; sheet and header can be chosen.',
  'FIL-6':
    'POST …/examples/import finds what the page finds and answers with its plan, also in a form with a file of any format; a mapping overrides each finding.',
  'RDG-1':
    'A text at a field with a reading becomes what the import made of such a cell, in a call and in the Python package alike: number, date, true, false, text or no value.',
  'RDG-2':
    'A reading changes texts alone; an input whose values are of their kinds is decided as without readings, and types without readings decide as before.',
  'RDG-3':
    'A text that is not of its field’s kind counts as missing, and the answer says so in `unread` without being asked.',
  'RDG-4':
    'An import makes its readings part of the decision type, for fields of which it has none: they stand in version, manifest and model card and can be changed under Define and over REST.',
  'RDG-5':
    'The cells of a file, sent as they stand there over REST, in a batch, from Python (dicts, DataFrames, Arrow tables) and to decision-edge serve, are decided as the converted rows.',
  'RDG-6':
    'Stored inputs count everywhere as their type reads them today, also examples older than a reading; a value that cannot be read is called unreadable, never missing, and it and masks of personal values stay as they are.',
  'FIL-9':
    'An import counts for nothing until it is committed: then its type, new options and examples count together, or, where it is cancelled, refused, left alone for five minutes or cut off by a restart, nothing does.',
  'FIL-10': 'A commit that is sent again with its Idempotency-Key is answered as the first time.',
  'FIL-11':
    'Imports of one caller take at most 128 MiB and 20 places, beyond which the one used longest ago gives way; where all take 256 MiB, that of the caller with most.',
  'FIL-20':
    'Titles, second headers, totals, notes and blank lines of a table are no rows, and each is counted with its line and reason; rows, refused and skipped lines are all lines of the file.',
  'FIL-21':
    'A text table is read whatever separates its cells and ends its lines; a quote that nothing closes takes in no other line. Separator, quote and header, or that there is none, can be stated.',
  'FIL-22':
    'Of the names of columns only those nest whose parts are called like fields, at the import and in Python alike.',
  'FIL-23':
    'A text file is read in the encoding that its letters are in; where they do not tell, it is asked for with how it would read, damaged signs are named by their lines, and it can be stated.',
  'FIL-24':
    'How a file was read is said in the page, in `file.report` of the answer and on stderr of the commands: encoding, separator, lines that are no rows, and what was guessed, made up or lost.',
  'FIL-30':
    'Of a workbook, or a web page or XML called .xls, is read what is shown: dates of either calendar, times, durations as hours, merged cells; hidden sheets, rows and columns are not, and are named, as are errors and formulas without a value.',
  'FIL-31':
    'Parquet is read whatever packs it, with lists, structs, times, durations as hours and decimals; no digit of a whole number is lost, and no sound file is called damaged.',
  'FIL-32':
    'JSON is read in the shapes that tools write, one document or many, with NaN as empty and long whole numbers as texts; objects open into fields, and an answer within one is found.',
  'FIL-33':
    'Exports of Label Studio, Labelbox, doccano, Argilla and Prodigy come in with their labels, for a new type without a question, and marked parts in words.',
  'FIL-40':
    'A column that alone tells the answer, has values for some answers only, is a date of the end or names what a row is about is asked about with the share that it explains, or left out where that is certain; a mapping that names the input, or --leave-out, decides.',
  'FIL-41': 'A second column of answers is left out with a sentence, for another decision type to learn.',
  'FIL-44': 'An import says how many rows of a file are examples already, and which of them have another label there.',
  'FIL-46':
    'POST /api/v1/imports takes a file once and answers what is in it, what becomes of it and what is to be asked; PATCH chooses, commit adds all or nothing with ids, and refuses while something is open.',
  'FIL-47':
    'An import names the columns that tell who somebody is, by their names in the languages of the text models or by their values. Those of a new type become personal fields, which are not learned, unless something else is said; in another type one choice (pii_fields, --personal) makes them so, with the scope deploy.',
  'FIL-45':
    'The same file gives the same examples by page, REST, agents and command: rows that repeat an earlier one in every column are left out and counted, or kept where no column tells rows apart, labels that differ from an option in case and blanks are that option, and labels that are none are refused or asked about. An export on its way back is merged alike, too.',
  'FIL-43':
    'Each of several columns of answers can be a decision type of its own: the page offers the next one after the import, REST and command line name the others.',
  'FIL-48':
    'A column with the options of the answer is asked about as that of a second reader, by page, REST and command; its labels become second readings in the same commit, and rows on which the two differ wait as conflicts. Exports of Label Studio and Argilla say themselves who gave which label.',
  'FIL-42': 'Of a file without labels the page makes a decision type of options that are typed.',
  'FIL-7': 'A policy learns as much from dates as people write them as from ISO dates.',
  'FIL-8': 'The name of a decision type keeps the letters of its file: ä becomes ae, ß ss.',
  'EXA-14': 'An imported file is read as strictly as a body; what would be stored as something else is refused.',
  'EXA-16': 'An example is marked as a test row one by one or in bulk; a generated one never is.',
  'EXA-15': 'An undone bulk change leaves alone what was changed, added or deleted since.',
  'XPT-1':
    'The filtered examples are exported as CSV, XLSX, Parquet and JSON Lines, as a stream, oldest first: input, label, reason codes, status, note, source, test, first label, times, what a model said of each, and how the newest policy used it.',
  'XPT-2': 'An exported file is read back without loss, whatever the inputs hold; rows may be added to it by hand.',
  'XPT-3':
    'No cell of an exported table is run by a spreadsheet, whatever it takes for the separator, and each comes back as it was.',
  'XPT-4': 'Values of personal fields leave as tokens, unless they are asked for.',
  'XPT-5': 'An export that its format cannot hold is refused with the reason and another format.',
  'XPT-6':
    'Label Studio, Argilla, Prodigy and spaCy import what is exported for them, and it is read back with labels.',
  'XPT-7': 'The page exports the examples that are shown or all, in a format of one’s choice.',
  'XPT-8':
    'export-examples writes the examples of a type to a file, whole or not at all, and replaces none; without a file to the standard output.',
  'XPT-9':
    'An exported file imported into its type changes the examples of its ids, and of equal inputs, adds the others and doubles none; into a fresh type it gives the same examples. What it changes is shown first, and no empty cell removes a label.',
  'XPT-10':
    'Of two copies that were labelled apart no label is lost; one that differs is a conflict, which is refused, kept, taken or flagged with both labels.',
  'XPT-11': 'An import of exported examples never changes the label by which a held-out example is measured.',
  'XPT-12': 'The page merges an export into its type: it shows what is added and changed, and asks about conflicts.',
  'XPT-13':
    'An export has who gave each label and when, and second readings; they come back with it, with the same agreement.',
  'XPT-14':
    'The export of a policy has what it was trained and tested on, with the labels of then, its sides and digest; what was changed or deleted since is said.',
  'XPT-15':
    'An export of up to 100 MB, in any format, is merged whole, on the page and by the command: it is checked first, and none of its examples is lost or doubled.',
  'OPT-1': 'merge gives examples, rules and fallback of one option to another, after showing what it touches.',
  'OPT-2': 'delete takes an option with its rules, and its examples or their labels, after showing what it touches.',
  'OPT-3':
    'A rename, merge or deletion of an option is undone by its token: options, rules, thresholds, fallback and labels as they were, but not where the type was changed since.',
  'OPT-4': 'Bulk changes from before a change of an option can be undone again once that was undone.',
  'OPT-5': 'A rename changes nothing about examples but the name: their times and what a training said of them stay.',
  'LBL-1': 'An example is to_label or done by its label, or was skipped or flagged; PATCH and bulk set it, and a note.',
  'LBL-2': 'The list is filtered by status; GET of one example answers it alone.',
  'LBL-3': 'next gives examples of a queue with a suggestion, its probability and source, and why; most useful first.',
  'LBL-4':
    'An example that next gave out is given to nobody else for a minute, and for five where others are left, whatever the number of windows.',
  'LBL-5': 'A label changes the suggestions at once; next says how many of the last 50 were right.',
  'LBL-6': 'similar gives the examples most like one, most alike first.',
  'LBL-10':
    'Of the rows to label one in five is an open drawn row of lowest number, to measure by; the order of the others neither learns from drawn rows nor chooses one.',
  'LBL-13':
    'Who labels faster than rows are read, or beside the queue, is offered drawn rows until they are a fifth of the labels; the queue of random rows, D on the page, gives the open ones of lowest number alone.',
  'LBL-12':
    'similar finds the examples to label whose texts say nearly the same; the card offers them the same answer, as one act.',
  'LBL-11': 'Labelling reads texts by the text model that reads their language.',
  'CAR-1':
    'suggestions answers for examples of one’s choice, in any list, the likeliest options with their probabilities; it gives none out, and nothing for a decision that is judged blind.',
  'CAR-2': 'similar gives the labelled examples alone where asked to.',
  'CAR-4':
    'numbers gives, for each field with numbers that is not personal, those at each hundredth of the newest examples.',
  'CAR-3': 'A finding shows its first example as it is now, and of a suspect label how likely the likelier one is.',
  'TCH-1': 'A teacher labels examples only where the agreement measured on labelled ones surely reaches the floor.',
  'TCH-2': 'Labels of a teacher are marked, are not reviewed, and never measured on; a person finds and confirms them.',
  'TCH-3': 'A labelling shows its progress, is cancelled at once, and is charged as a generation is.',
  'TCH-4':
    'The page has a connected model label 200 examples, after its agreement with labels of people and the price; without a connection it says where one is set up.',
  'XPL-1': 'explain answers flips, nearest, words and the trace: on decide, for log records and for examples.',
  'XPL-2': 'Every flip names values seen in the data and is decided as it says; the fewest and smallest changes first.',
  'XPL-3':
    'words are stretches of the texts with what the decision loses without them, heaviest first; estimates say so.',
  'XPL-4': 'An explanation shows no value of a PII field of another input, writes no log record and costs nothing.',
  'XPL-10':
    'Where the deployed policy decides a measured row otherwise and has been fitted on it since, the explanation says so.',
  'TRY-1': 'The form under Try offers the values that a field with few of them has in the examples.',
  'TRY-2':
    'A number under Try is typed as the type reads it, such as 182,75; a text that is no number and has no reading is marked as counting as missing. A date is chosen as one, and the newest logged input is one press away.',
  'XPL-5':
    'One explanation of a caller is under way at a time, two of all; further ones wait, and beyond 32 of a caller are refused with 429. At most 100 fields are tried, and the note names those left out.',
  'FND-1':
    'data-findings lists contradictions, duplicates, near duplicates, suspect and unknown labels, leaks, constant fields, rare options and outliers, each with its examples, the likelier label and what to do, and counts of all.',
  'FND-2': 'Suspect labels come from models that had not seen the example, surest first, one item an example.',
  'FND-3': 'The search runs apart from the calls and is known until examples, options or policy change.',
  'FND-4': 'Readiness says in one sentence how many contradictions, suspect and unknown labels and leaks are known.',
  'FND-5':
    'A label that the first matching rule would decide otherwise is a finding with the rule’s option and how many of its labels agree, until it is relabelled or confirmed after the rules were saved.',
  'FND-6':
    'Suspect labels are found before the first training, in the background, once 100 are there, and again when they have grown by a quarter; a training ends that search.',
  'FND-7':
    'Statistics say how many labels are expected to be wrong, unless the models err on over a fifth of them, and how many suspect ones were changed; beside a suspect label stand the likelier one and the reason of the models that doubt it.',
  'FND-8': 'A suspect label that a person has reviewed and kept is not listed again while the same option is likelier.',
  'FIR-1':
    "A label that is changed after a model's doubt, or with many others once there is a model, stays what its example is measured by; trainings, promises, gates, comparisons and audits go by it.",
  'FIR-2':
    "How many test rows were relabelled after a model's doubt is said beside the figure to quote, with what the new labels would make of it: REST, page, report, model card.",
  'FIR-3':
    'A first label follows renamed and merged options and every undo; a plain edit that no model doubts changes what is measured.',
  'FIR-4':
    'Findings take suspect labels many at once only up to how many are expected to be wrong, the most doubtful ones, and one by one where that is not known.',
  'FIR-6':
    'An input that a policy got wrong while held out keeps the label that it was measured by when it comes back as a new example with another label or none: one by one, many at once, or from a file.',
  'FIR-7':
    'How many held-out labels that a policy got wrong no figure counts any more (example deleted, changed, without a label, or no test row) is said beside the figure to quote, of that policy and of later ones: REST, report, model card.',
  'FIR-8':
    'Held-out rows that were removed, edited or unlabelled, those that a model got wrong certainly more often than others, stay in every figure of this policy and later ones, by what was answered then, and a sentence beside the figure says how many.',
  'FIR-5': 'The models that doubt a label that is learned from have seen no held-out label.',
  'SLC-1':
    'slices lists the parts of a policy’s held-out, corrected or all such rows, by one field or two, that err more often than the others, with errors, escalation, interval and corrected p-value; of the whole decision by the current rules and thresholds, or of the classifier alone. Of corrected rows, which somebody chose to look at, all rates are null.',
  'SLC-2':
    'Weak parts may be spans of dates, and values of language, source or group, where the inputs have such a field.',
  'GEN-1': 'generate answers 201 with synthetic examples that are not reviewed.',
  'GEN-2': 'generate takes a count of 1 to 50 (default 10) and an option, and is all or nothing.',
  'GEN-3': 'Without a connection to a teacher the embedded one makes the examples offline.',
  'GEN-4': 'Texts that the embedded teacher makes consist of whole sentences of examples and of checked ones.',
  'GEN-5':
    'A connected model is asked without the parameters that it refused, its answer is the last JSON object that fits, past thoughts and fences, its own sentence is shown where it fails, and the test of a connection asks as a decision does.',
};

const training = {
  'TRN-1': 'POST train answers 202 with the policy summary and policy_id when the job is accepted.',
  'TRN-2': 'Every field of the body and the body itself may be left out: the defaults, and no quality gate.',
  'TRN-3': 'A training that could not be dispatched is a 503 that names the durable policy and its status.',
  'TRN-4': 'A type that is not ready is a 422 with the readiness issues as details.',
  'TRN-5': 'While the training slot is occupied, one training of each type waits; a second one is a 409 conflict.',
  'TRN-6':
    'Every run executes the whole pipeline of seven stages; the text stage embeds with the shipped encoder that the request names, as it is or tuned, or reads words alone.',
  'TRN-7':
    'About a fifth is held out by a hash of the input alone: equal inputs share a side, adding rows moves none; each option with five inputs has some on both sides, by one exception that can go back.',
  'TRN-26':
    'Without a wish (`auto`) texts are read by the smallest of words alone and the text models that read their language that is at most half a standard error behind the best on folds; metrics, report and Train show all that were compared, and one press takes another.',
  'TRN-27':
    'The languages of texts are said at an import, in the findings about the data, after a training, in weak parts and where live inputs differ; one that no text model reads with what that costs.',
  'TRN-28':
    'A text model of one’s own is added from a folder, after its licence, digests, golden vectors and a trial, or refused with the remedy and nothing left; trainings choose it, bundles and backups carry it, and it is removed only where no release reads by it.',
  'TRN-29':
    'Texts of every script, and emoji, are told apart by their words, by service and Python package alike; a policy that reads words alone needs no text model.',
  'TRN-8': 'Synthetic examples are never held out, and none equals a held-out input.',
  'TRN-9': 'A worker that died is retried once, as a new attempt on the same snapshot.',
  'TRN-10': 'The same snapshot and seed give the same metrics.',
  'TRN-11': 'escalation_threshold sets the escalation threshold of this policy.',
  'TRN-12': 'auto_generate fills up options with too few examples.',
  'TRN-13': 'augment adds made-up rows to the training side, up to augment_target_size, and metrics count them.',
  'TRN-15':
    'Where examples are marked as test rows, policies are measured on these alone and no model learns from them.',
  'TRN-16': 'Held-out rows that say the same as a training row in nearly the same words are counted and named.',
  'TRN-17':
    'Metrics say how reliable confidences are, in tenths with intervals; the calibration error is null below 200 measured rows.',
  'TRN-18':
    'Where a training asks for it, the text stage tunes the encoder within a budget of tokens, the same way for the same seed, and can be cancelled between steps.',
  'TRN-19':
    'A tuned encoder is taken only where it is better on training rows it has not seen; metrics.text_tuning and the model card say how both did.',
  'AUD-1':
    'Corrections of live decisions are learned from and never held out, unless a person marks them as test rows; they move no held-out row, and metrics, notes and report count them.',
  'TRN-20':
    'Every option is learned from 2 examples on; one with fewer than min_per_option (38) is suggested and never decided alone, in service, bundle and Python package. By default (measure) a training takes the least of 16 and 8 that folds show to be right, and has the figures of each on all held-out rows; learn keeps min_per_option. Under refuse a training with such options is refused.',
  'TRN-21': 'Setting rare options aside is read as learning them: from two examples on, never decided alone.',
  'TRN-22':
    'Under fallback rare options are learned as one, whose probability they share; inputs like theirs go to the fallback or to a person, and no answer names one of them, in service, bundle and Python package.',
  'TRN-23': 'The page trains with the settings of the last training of the type until they are changed',
  'TRN-25':
    'A training that is ordered while another one runs, in the page, over REST, by command or by an agent, waits in the queue of the service, which says its place, outlives a closed window and a restart, and can be cancelled; it begins by itself, with the examples and the version of then.',
  'TRN-24':
    'Where some answers have few examples, the page trains all of them at the first press, and says how many still go to a person.',
  'TRN-31':
    'The same request and seed give the same policy, to the bit, in every release of Node and in browsers that compute as IEEE 754 has it.',
  'TRN-30':
    'Where a number of the input schema says never_lowers or never_raises with an option, the classifier keeps that for every input, in service and Python; notes, report and model card say so, and a field of another kind fails the training.',
  'AUD-2':
    'A type may have audit.share: as decisions are recorded, that share is drawn by a hash of record and request, whatever was decided; dry runs are none.',
  'LFT-4':
    'audit.per_week draws so many of the decisions of each week (from Monday, UTC) when it is over, by the same hash, and all of a week with fewer; a change begins the week again, and the log must be kept for 14 days or more.',
  'LFT-5': 'Define takes a share or a number a week, and Monitor says that a week is drawn on Monday.',
  'LFT-6':
    'Of an example to label that the policy suggests an answer for, the reason gives no probabilities of the labelling model, which would contradict it.',
  'AUD-3':
    'Drawn decisions are judged in the queue audit, oldest first, without decision, confidence or suggestion, by the keys of all queues; no other queue and no teacher takes them.',
  'AUD-4':
    'GET …/audit gives the error of each policy’s live decisions, whole and automatic, with bounds that hold at every moment together with 95% certainty; what was passed over counts as wrong in the upper one. Monitor shows it.',
  'AUD-5':
    'Where a policy is deployed, target_f1 is held against the rows that both policies have held out, 30 or more; metrics.compared_with_deployed gives the figures of both, and Deploy shows them.',
  'AUD-6':
    'Rows that nearly repeat each other (numbers of many values in one cell of a grid, all else equal, words in any order) share a side and a fold with the oldest of them, and are on neither side where they repeat a marked test row; rows that many others lie close to count as near by chance.',
  'AUD-7':
    'Masked values of personal fields count as missing in a training, whose notes say how many examples have them, and where held-out rows are decided again (`masked`); the analysis of rules counts the logged inputs in which a rule reads one.',
  'AUD-8':
    'A drawn decision that is corrected in the log before it is shown counts as judged in every later training, once one recorded after it has been judged: it is held out by its hash, or learned from, as every audited row.',
  'DRF-1':
    'GET …/drift compares the newest 1,000 decisions with the newest labelled examples: one sentence for each field with a value, range or absence whose share differs by 10 points or more, with at most 1% expected to be chance; personal fields are left out, and 50 of each are needed. `unfamiliar` says where more inputs than expected are unlike the examples; page and rail say it, too.',
  'DRF-2': 'Monitor and the rail say which fields have changed.',
  'DRF-3':
    'GET …/drift and Monitor compare the decisions of the last seven days with those of the seven before: each answer, and each field of which a share has changed as in DRF-1.',
  'GRP-1':
    'The groups of a type name up to three fields, learned or not, an option that people hope for and two limits; whole-decision then gives for each group of unseen rows the rate, false positives and negatives of that option, or of each, errors and automated share with intervals, and the ratio of the least to the most favoured, all as Fairlearn does; of fewer than five rows nothing.',
  'GRP-2':
    'The verdict says by each field whether the ratio, and the error of the worst group, keep the limits: certainly not blocks, perhaps not warns, and a release then takes a reason; without groups nothing is said.',
  'GRP-3':
    'Groups stand in Evaluate, report, case file, definition as text and archive; values of a personal field are tokens, and have no name in a case file.',
  'LFT-1':
    'Under train_on: left_by_rules the classifier learns from the examples that no rule decides, and is measured alone on these; the whole decision is measured on all held-out rows. metrics.left_to_rules, notes, model card and report say how many rules decide.',
  'LFT-2':
    'Readiness answers for train_on: per_option counts what no rule decides, left_to_rules the others; an option whose examples rules all decide needs none.',
  'VDT-1':
    'The verdict of a policy names what is not known yet, its gate, promise, weak parts, comparison, availability and need of retraining with passed, warning or blocking and a sentence; a training deploys no policy with a blocking item, and the command train, page and report read the same list.',
  'PIN-1':
    'An example with must: true (PATCH, addition, column of an import, bulk, filter) is learned from and measured by no training; GET …/pinned-cases decides such cases with the current rules and thresholds, says which do not hold, and which rules no case reaches.',
  'PIN-2':
    'A case that is decided otherwise is the blocking item must of the verdict, in words, and no training deploys the policy by itself; a deployment by hand asks for a reason.',
  'PIN-3':
    'An exported bundle holds the pinned cases before its golden lines, personal fields replaced, and the Python package decides them.',
  'PIN-4':
    'The page pins an example by a key, a record by a key and an input under Try; Deploy lists the cases, and Rules those that do not hold.',
  'MOV-1':
    'GET …/archive gives the whole type as one file, the same bytes for the same state; POST …/decision-types/import makes it elsewhere, ids kept where all are free, another name given by `name`, and its archive there is the same file.',
  'MOV-2':
    'What decided where an archive comes from decides where it is imported: the same decisions, releases, digests, aliases and held-out figures.',
  'MOV-3':
    'A damaged, foreign, changed or too large file is refused with its place and the remedy, and nothing is left of it; so is one with a time, name, id or row that a call could not have made.',
  'MOV-4':
    'A bundle makes a type whose policy decides, or goes on with a type of its options as a new release that can be taken back; its digest is that of the release which it was exported from.',
  'MOV-5':
    'The commands export-type, import-type and import-bundle do the same from file to file; where there is no type yet, import-bundle makes one.',
  'MOV-6': 'The page exports a type and makes one from a file that is chosen or dropped.',
  'MOV-8':
    'The questions of decision models that a type answers go with it, and what is yes of its options with a bundle; those that other types answer here stay with them, and the import says so.',
  'MOV-7': 'An export of a type or a bundle says what it does while it takes, and can be stopped.',
  'LFT-3':
    'needs_attention of a policy trained on what rules left says when their conditions have changed; names, answers and order of rules change nothing.',
  'DRW-1':
    'Where most rows came without a label, figures are of those labelled in the order of their random numbers, each left out in turn; however the others were chosen, they are learned from and not measured.',
  'DRW-2':
    'Below 20 such rows, none included, the headline says how many there are of 20, and neither accuracy nor error among automatic decisions is said.',
  'DRW-3': 'Below 60 such rows no promise is made, and the sentence says how many there are of 60.',
  'DRW-6':
    'From 60 labels and 20 measured rows on, a training says how many points 100 more labels would bring, with an interval: under Evaluate, and beside the rows to label next over REST.',
  'DRW-7':
    'Where a classifier tells the examples that came with their label from those that came without, the headline says so.',
  'DRW-8':
    'Drawn rows that are skipped, flagged or, while they are offered, deleted without a label belong to what is measured: the figure is said as the bounds that they leave, and promises count each as wrong and decided alone.',
  'DRW-4':
    'Open rows change no figure of a type most of whose rows came with their label; chosen ones are learned from.',
  'DRW-5':
    'Copies of a row, whatever only tells them apart, have one number, one side and one fold; these and near copies count once in intervals and promises. Equal rows that chance explains, as the fields have few values, are cases of their own.',
  'HLD-1':
    'A training may hold out by date: about the newest fifth of the examples by a field; those without a date are learned, and so is everything once the figures are measured.',
  'HLD-2':
    'A training may hold out by group: about a fifth of the values of a field, each with all its examples. Nothing of a group is on both sides of the split or in two folds, and adding examples moves none.',
  'HLD-3':
    'A training may hold out what a column of the examples says, and nothing learns from these; marked test rows go before any other way.',
  'HLD-4':
    'A way to hold out that names no field of the examples is refused at once; one whose field cannot part them, or leaves too few of an option, ends with a sentence that says so.',
  'HLD-5':
    'Where answers hold only for a month or a customer, the figure by date or group is that of new data within 2 points; at random it is 8 or more too good.',
  'HLD-6':
    'How rows were held out is said by settings, metrics, notes, report and card. After a change of the way an earlier held-out row that is still there does not count as dropped.',
  'HLD-7':
    'Ways in which examples hang together (by one field or several, a time in any form, the wording of a text) are tried on the same rows. The lowest that is certainly lower, and leaves each option enough to learn from, is how a training holds out; what is reached at random stands beside it, and no training deploys by itself until a person says what the policy will be asked about.',
  'HLD-8':
    'Train says how examples are held out, by which field and what that tells; Train and Evaluate show the figures of other ways, and one press trains with a stricter one.',
  'HLD-9':
    'Of a type with a promise, other ways to hold out are measured before a policy may decide: one that keeps the promise only on easier examples is held back, and loses it where the stricter figure comes later.',
  'HLD-12':
    'What one case is, by which fields, and how many there are is one sentence under Train and Evaluate, in the report, over REST, to agents and from the commands; what a policy will be asked about can be answered and taken back.',
  'HLD-10':
    'Sentences that differ only in names, numbers and addresses are one group of a field that rows are held out by; where a field has such, what the classifier reaches on unseen ones is measured and said.',
  'HLD-11':
    'Figures of test rows that were marked or that a column names never stand alone: the headline says what is reached at random and, where the chosen rows are certainly easier, quotes that figure instead.',
  'FIG-3':
    'No figure and no promise is given where labels seem to be what a policy answered: those added since one could answer are certainly easier, or they are the wrong answers of another type’s policy.',
  'FIG-4':
    'No figure is given where a field alone gives the label and hardly any example without a label has it; where these have it, the figure is said.',
  'FIG-9':
    'A field that is no number and tells every label, or has a value with one answer alone, keeps a training from deploying by itself, and every door asks whether it is known before the decision. Who releases the policy with a reason has answered for those that follow.',
  'FIG-1':
    'The headline names a field that alone gives the label, and says of figures that came with an imported file that they were not measured here: page, REST, commands, agents.',
  'TRN-14': 'A policy keeps the hash of its snapshot, the seed, the settings and the versions of what computed it.',
  'PFI-1':
    'A training ends when its policy is measured, stored and deployed; learning curve and label checks follow in the same process, and metrics.follow_up says whether they are pending, done or ended. No bundle depends on them.',
  'PFI-2':
    'What follows a training goes on beside the next two, which find the slot free, and gives way to a third; a kill, a close or a cancel then takes nothing from the stored policy but the rest of its report.',
  'BTR-1':
    'Under tune_encoder: auto, the default, a training goes on in the background once its report is complete, where inputs are read by their text and the cross-validated log-loss is above 0.05: the text model is tuned within tuning_tokens, from the same snapshot and seed, at low priority and without credits. detail.tuning says what it does.',
  'BTR-2':
    'What is right on more rows with no worse log-loss, or on as many with a better one, counted over the held-out rows and those of the folds of the tuning, becomes a policy of its own: it follows the first, metrics.better_than says in words what it brings, and better_policy of the type names it until it is deployed or another policy is made.',
  'BTR-3':
    'Any new training, a cancel, a kill and the end of the program end such a tuning; either nothing of it is stored or the whole policy.',
  'BTR-4':
    'Such a policy is deployed by itself only where the training says auto_deploy, the type has a promise that it keeps, and the policy that it follows is deployed or was held back.',
  'PRM-1':
    'GET …/promise gives the threshold that decides most with an error among automatic decisions, rules included, that is bounded by the target with the certainty, or the rows it would take; of thresholds that decide the same rows, the middle one.',
  'PRM-2': 'The bounds hold at every threshold at once, so trying several targets on the same rows breaks no promise.',
  'PRM-3': 'A promise for one option holds together with those for all other options.',
  'PRM-4':
    'PUT …/promise sets the threshold and keeps the promise with the deployed policy; where it is impossible: 409, nothing changed.',
  'PRM-8': 'The model card of an exported bundle says what is promised, and its figures belong to the settings in it.',
  'PRM-9':
    'A target declared before the look is tested with the whole risk, down from the strictest threshold: as much is decided alone as exact tests allow; other targets are exploration.',
  'PRM-10':
    'GET, PUT and DELETE /decision-types/{id}/promise: what is promised of a type is asked of every policy that is trained or deployed, whose threshold the type gets.',
  'PRM-11':
    'A policy that cannot keep the promise is not deployed by its training and says why (held_back, promise_standing); by hand it is deployed for a reason, and decides without it.',
  'PRM-5':
    'A kept promise is checked again after every change of rules or thresholds: kept, broken or unknown, on policy and type.',
  'PRM-6': 'Corrections of automatic decisions are counted beside the promise, without a rate: they are no sample.',
  'PRM-7':
    'The whole decision (rules, classifier, thresholds as they stand) is measured on the held-out rows with intervals, beside always giving the commonest answer and the rules alone, and follows every change at once.',
  'HDL-1':
    'The headline of the whole decision is one figure in one wording: in the list of policies, under whole-decision, in the metrics and on the model card.',
  'CST-1':
    'costs of a type hold a currency, what a look costs, what a wrong answer costs and pairs of options with costs of their own, all optional; a change makes no version, and what they cannot hold is a 422 at its place.',
  'CST-2':
    'Costs go along with an option that is renamed, merged or deleted, come back with the undo, and change nothing of what is decided.',
  'CST-3':
    'GET …/policies/{id}/costs suggests the thresholds of least cost of the whole decision: a look for what is handed on, else what the answer costs.',
  'CST-4':
    'It says with intervals what 1,000 decisions cost now, with the suggested thresholds (on rows they were not chosen on) and all by hand, or why it cannot.',
  'CST-5':
    'Under Evaluate costs are set in a sheet of options by options, the amounts stand with their intervals, and one button takes the thresholds, which can be undone.',
  'CST-6':
    'confidence_thresholds.by_option, optional, holds higher thresholds of single options; they go along with a rename, merge or deletion and come back with its undo, and an unknown option or no confidence is a 422 at its place.',
  'CST-7':
    'An option is decided alone only from its own threshold where that is above auto_decide, alike in decisions, explanations, figures, bundle and Python package; without them a bundle is as before. Figures try other ones, as JSON (by_option), before they are kept.',
  'CST-8':
    'While options have thresholds of their own no promise is said to be kept; asked for again, it takes them away.',
  'CST-9': 'Under Define an option is given a threshold of its own, which is saved, decides and is taken away again.',
  'CST-10':
    'costs suggests thresholds of single options only where they certainly cost less than one for all on rows they were not chosen on; Evaluate shows and takes them alike.',
  'CHA-1':
    'Each chart of Evaluate says in a sentence what it shows and has its figures as a table that opens by keyboard: rows by confidence, right beside said confidence, and what more examples brought, with 95% intervals.',
  'CHA-2':
    'The costs of a policy have a curve: what 1,000 decisions cost with each threshold in steps of 0.02, one for all options. Evaluate draws it with the current threshold and the cheapest one.',
  'CHA-3':
    'Charts fit their place from 1024 to 2560 pixels, in both themes, without a violation that axe knows; their tables open by keyboard, and the library that draws them is loaded with the first of them.',
  'CHA-4':
    'GET …/metrics/days gives the decisions of each of the last days or of their hours, also those without any, by option with mean confidence and looks; Monitor draws them above the records for 7 to 90 days, by the hour where there are fewer than three, with tables.',
  'HDL-2':
    'The whole decision has a matrix, a score of each option and its confidences, also with thresholds that are only tried, and held-out lists the rows of each cell of it, or all that are wrong, the surest first.',
  'HDL-3':
    'comparison judges the whole decision of two policies, too, on the rows that both held out, with the p-value of McNemar’s exact test.',
  'RPL-1':
    'GET …/policies/{id}/replay decides logged inputs, newest first, with a policy and with the deployed one, both by the current rules, and lists those that they decide differently; nothing is recorded or charged.',
  'RPL-2':
    'Deploy replays the newest 500 logged inputs with another policy by button or palette, says how many would be decided differently and lists these; it shows how far it is and can be stopped.',
  'RPT-1':
    'GET …/policies/{id}/report is one HTML page that runs and loads nothing: question, the figures of the whole decision beside a baseline, its matrix, the examples with their days and the agreement of readers, promise, weak parts, rules in words, thresholds.',
  'RPT-2':
    'The report has no input of an example, names in it are inert, and a policy whose training has not succeeded has none: 409.',
  'RPT-3':
    'Where costs are set, the report says what decisions cost now, at best and all by hand, with intervals; figures are drawn as bars in it, and it prints on A4.',
  'RPT-4':
    'The report names the inputs with their ranges, the days of the examples by their newest date, who labelled and how many labels are suspect; a learned field that tells who somebody is stands there with the decisions that change without it. It prints on two pages at most.',
  'RDY-1':
    'Readiness has ready, total_examples, labelled_examples, missing_labels, per_option, hinted, left_to_rules, options, min_total, min_per_option, set_aside, never_alone, issues and notes.',
  'RDY-2':
    'At least 38 labelled examples are needed in total, and 2 each of two options; never_alone has the options with fewer than 38, which are learned and decided alone only where a training shows that they may be.',
  'RDY-3':
    'Readiness answers for min_per_option and rare_options; set_aside has the options that would be left to a person and their examples.',
  'POL-1':
    'A summary has id, decision_type_id, version, policy_type, status, deployed, auto_deployed, accuracy, macro_f1, train_size, quality_gate_met, augmentation_status and created_at.',
  'POL-2':
    'The detail adds training_config, metrics, target_f1, error, current_attempt_id, execution_name, last_heartbeat_at and last_training_error.',
  'POL-3':
    'training_config has augment, augment_target_size, auto_generate, tune_hyperparams, n_tuning_trials, target_f1, auto_deploy and escalation_threshold.',
  'POL-4':
    'metrics has the scores, per_class, the confusion matrix with labels, sizes, estimates, augmentation and auto_generation.',
  'POL-5': 'Policies are listed newest first.',
  'POL-6':
    'A policy of rules alone needs no examples; once deployed, what no rule decides goes to the fallback option, in bundles too.',
  'DPL-1':
    'Every deployment is kept: GET …/deployments says which policy was put in charge, when, by whom and with which reason, newest first; of before an upgrade the last one of each policy.',
  'DPL-2':
    'Deploy shows the history and takes a reason; over a policy that decides, a training deploys only where that is asked for.',
  'REL-1':
    'Every change of what decides makes a release of its type, numbered from 1: GET …/releases says when, by whom, why, with which policy and version, and in sentences what changed.',
  'REL-2': 'Decisions and log records name their release and its digest; records of earlier programs have null.',
  'REL-3': 'What has no part in decisions makes no release: name, description, personal fields, retention, costs.',
  'REL-4': 'The digest is equal where what decides is equal, whatever the type is called.',
  'REL-5':
    'A version with other options than the deployed policy makes no release: the policy goes on with what it was trained with.',
  'REL-7':
    'POST …/releases goes back to an earlier release, with its policy, rules, thresholds and fallback, under a new number.',
  'REL-8': 'POST …/versions/{version_id}/restore makes a new version with the content of an earlier one.',
  'REL-9':
    'decision_type may name a release, as loan@3, or by an alias (loan@v3 is refused with the releases of policy v3); what follows the @ behind the name of a type is its release and nothing else, and the release decides as long as it is kept.',
  'REL-10': 'A decision type has an ETag; with If-Match of an earlier state a change is refused with 412.',
  'REL-12':
    'The digest in the log decides the same input again from the kept release, after any sequence of edits, drafts, publications, deployments, restores and deletions.',
  'DRA-1':
    'A change of what decides that is sent with draft: true decides nothing until it is published; it stands with the type for everybody, with the changes in sentences and by whom.',
  'DRA-2':
    'GET …/draft says what the draft would change: on held-out examples with its cost, and on the newest logged decisions. DELETE discards it.',
  'DRA-3':
    'POST …/releases without a release publishes the draft, a version and a release in one; a draft that is certainly worse, breaks a pinned case or the promise asks for a reason.',
  'DRA-4':
    'A draft is of fields: changes of others leave it alone; where the same field was changed live meanwhile it is not published until it is sent again.',
  'DRA-5':
    'With publish_by_hand a live change of what decides is refused with the remedy, and trained policies wait to be deployed.',
  'DRA-10':
    'A key with the scope train proposes by PUT …/draft, and publishes nothing; with publish_by_another its authors are refused, and any other hand with deploy publishes it.',
  'ACT-1':
    'GET /api/v1/activity, and Settings, list who deleted, imported, switched, exported or made keys, by which key, with the name of the decision type then; entries are kept as long as the longest log.',
  'EYE-1':
    'With publish_by_another a draft is published by somebody who has changed nothing of it since the last release, whoever touched it last.',
  'EYE-2':
    'With publish_by_another its own switch, publish_by_hand, a promise, the audit, the name, an option and the type itself are changed or taken away when two hands ask for the same within a week; a release says who, when and why. Pinned cases stay as long.',
  'EYE-3': 'With publish_by_another a bundle comes to decide once two hands bring the same file.',
  'EYE-4':
    'With publish_by_another nobody deploys a policy that they trained, goes back to a release of theirs or gives it an alias, and an import changes no reading of texts.',
  'EYE-5': 'A person, their keys and the keys of one holder are one hand.',
  'DRA-6':
    'While a policy is deployed the page keeps rules, thresholds and the like as the draft, which every window shows; Publish… shows its effect and asks for a reason where it is worse, and Undo goes back.',
  'DRA-7':
    'Thresholds and costs under Evaluate are saved over nothing that somebody else has changed since they were read: the page says who and when, where it is known, and takes theirs or mine.',
  'DRA-8':
    'Thresholds of a draft are tried wherever figures of a policy are, those of single options too: ?draft=true over REST, and under Evaluate by themselves.',
  'DRA-9': 'Define asks for releases that are published by hand.',
  'REL-15':
    'GET …/releases says of each release until when it was in charge, and of its decisions in the log how many there are, were handed on, checked by people and wrong; Deploy shows it.',
  'REL-14': 'Deploy names a release by an alias, moves it to another one and removes it; calls decide by it.',
  'REL-16':
    'Publishing, deploying (REST, agent), going back to a release or version and importing a bundle are judged by one verdict: a red pinned case, a broken promise or being worse is a 409 with its sentence until a reason is given; reason and sentence stay in the history, as does what the report of a training has not said yet.',
  'REL-11': 'Deploy lists the releases with what changed in words, and goes back to one in one click.',
  'REA-1': "Cohen's kappa and Krippendorff's alpha equal the reference implementations on 100 random tables.",
  'REA-2':
    'A second reader sees neither the first label nor a suggestion, a key with the scope label by no route; the first reader is asked again after a week. A key is one reader, and a reading stands once both labels were shown.',
  'REA-3': 'GET …/agreement says by pair and option how far readers agree, with intervals.',
  'REA-4': 'Two labels that differ are a queue with both and their notes, until one person settles it with a reason.',
  'REA-5': 'GET …/examples/{id}/labels has every label with who gave it, when, and what was suggested.',
  'REA-6': 'On the page a second reading goes blind to another reader, and a conflict is settled with a reason.',
  'DEF-1':
    'workbench definition export writes what a type decides by as YAML in a stable order, without examples, labels or records; apply proposes what differs as the draft, makes a type that is not there, and says with --dry-run in sentences what would change.',
  'DEF-2':
    'workbench definition check ends with 1 where a pinned case or the verdict is red; publish releases the draft, goes back or names a release; what is refused ends with 2 and its place.',
  'REA-7':
    'examples.export as labelling_page gives one HTML file of up to 500 examples without labels, suggestions and personal fields; it connects to nothing and keeps its place, and an import merges the labels it saves: where an example has none, else as a second reading of its reader, each once.',
  'REL-13':
    'Decisions over REST and by a bundle in Python, the bundle, its card, the report and events name one digest where what decides is equal.',
  'REL-6': 'Data from before releases have release 1 of each type that has a deployed policy.',
  'PRG-1': 'Progress has every field of the interface, also while the training runs.',
  'PRG-2': 'completed_stages has stage, name and completed_at of each.',
  'PRG-3':
    'attempts has attempt_id, attempt_number, status, execution_name, task_index, task_attempt, started_at, last_heartbeat_at, completed_at and error.',
  'PRG-4': 'Progress is read from memory while a training runs and from the database afterwards, also after a restart.',
  'PRG-5': 'The terminal states of progress are trained, deployed, cancelled and failed.',
  'PRG-6': {
    statement: 'Polling every 3 to 5 seconds is advised.',
    waived: 'Advice to callers, given in the summary of the operation; nothing to observe.',
  },
  'STA-1': 'With auto_deploy and no target a finished policy is deployed, auto_deployed, and the others deactivated.',
  'STA-2': 'A target that is met deploys, too; quality_gate_met is true.',
  'STA-3': 'With auto_deploy false a finished policy is held as trained.',
  'STA-4': 'A target that is missed holds the policy as trained; quality_gate_met is false.',
  'STA-5': 'Deploying a trained policy deactivates the others of the type.',
  'STA-6': 'Deploying a deployed policy is allowed and changes nothing.',
  'STA-7': 'A policy in any other state cannot be deployed: 409 conflict.',
  'STA-8': 'A dead heartbeat makes the policy stopping; the slot stays occupied until the execution has ended.',
  'STA-9': 'Cancel makes a running policy cancelling, then cancelled once its process has stopped.',
  'STA-10': 'Cancel may be repeated; of a cancelled policy it is a 200 without change.',
  'STA-11': 'Cancel of a policy that is trained, deployed or failed: 409 conflict.',
  'STA-12': 'Deleting a decision type ends its training, so that the slot is free again.',
};

const records = {
  'LOG-1': 'The log is paginated, newest first.',
  'LOG-2': 'It is filtered by decision, escalated, min_confidence, max_confidence, start_time and end_time.',
  'LOG-3':
    'A record has id, request_id, decision_type_id, decision_type, input, decision, confidence, stage, reason_codes, class_probabilities, rules_triggered, rule_errors, escalated, fallback_used, unfamiliar, policy_version, decision_type_version, latency_ms, api_key_id, created_at and corrected_decision.',
  'LOG-4': 'The export is a stream of JSON, or of CSV with the same filters.',
  'LOG-5': 'CSV follows RFC 4180, one column per field, input as JSON, and nothing that a spreadsheet would run.',
  'LOG-6': 'A correction is stored and makes a reviewed example linked to the record; null withdraws both.',
  'LOG-7':
    'A record names the version of the decision type whose rules and thresholds decided, whatever is saved or deployed afterwards, and says why, with the connected model that was asked; null in records of earlier programs.',
  'LOG-8':
    'Logged decisions are made again by the release that made each, over REST, by workbench verify --decisions and by one press in Monitor: every field is equal, or the record is listed with what differs, or why it cannot be decided as it was. An explanation of a record is by its release.',
  'LOG-9':
    'Each decision holds the digest of the one before it and of itself, and each correction, removal, return and masking of the log is an entry of a chain, written in its transaction; backups and metrics hold its head. workbench verify names the first record from which the log is not as it was written: changed, missing, added, put elsewhere, cut at its end or written again as a whole.',
  'LOG-10':
    'Each line of decision-edge serve --log, over restarts and files that are turned over, and each record of an export as JSON ends with the digest of the line before and of itself; workbench verify FILE names a line that was changed, removed, added or put elsewhere, and with --head an end that was cut.',
  'LOG-11':
    'The case file of a record, as JSON and as a page to print in English, German, French or Spanish, over REST, by workbench case and from Monitor: what was decided and when, by which rule or main causes, what would have changed it, who looked, which release, what was known of its errors then, how to contest it; personal fields are masked.',
  'LAT-1':
    'The latency that a training estimates is of texts that are read for the first time, also where a training before it has read them.',
  'LAT-2':
    'An item of a batch takes its share of what was computed for all of them, and the metrics of a type have the median and the 95th percentile of the newest 1,000 decisions.',
  'LAT-3':
    'A decision takes at most the processor time that is kept, as a multiple of what a server takes that only commits a row.',
  'MET-1':
    'Metrics of a type cover the last 24 hours: total_decisions, avg_confidence, avg_latency_ms, escalation_rate and decision_distribution.',
  'MET-2':
    'Metrics of the organisation: total_decisions, decisions_today, avg_latency_ms and a row for each decision type, with its decisions of the last 24 hours, which the first page shows beside how often its policy is right.',
  'BUN-1': 'The export is a ZIP with the classifier, the rules, the features, the name, the options and the version.',
  'BUN-2': 'Export needs a deployed policy: 428 otherwise.',
  'BUN-3': 'A bundle that was exported stays as it is; after a retraining a new one is exported.',
  'BUN-7':
    'Manifest and model card name the version trained on, the version whose settings are in the bundle, the digest of the examples, the seed and the versions of what trained.',
  'BUN-5': 'A bundle decides with the settings with which the service decides at the time of the export.',
  'BUN-6':
    'Exports that decide otherwise have different names, ETags and revisions; slim and full ones differ in name.',
  'BUN-8': 'What a text model learned travels in its bundle as adapters; one encoder serves any number of policies.',
  'BUN-9':
    'A bundle names the first reader that reads it rightly: the released one reads those that say so as the one of today does, and refuses the others by their version.',
  'BUN-4': 'A policy file that is missing or damaged is a 503 unavailable.',
  'PRV-1':
    'Golden inputs of a bundle are made up of what five examples share, never of personal fields, unless `golden_inputs` asks for examples; manifest and model card say which.',
  'PRV-2': 'A bundle that ships the text model has its licence as a whole text.',
  'PRV-3':
    'The wheel lists what it depends on, and the program what it ships, as CycloneDX; the program has the licences of all of it.',
  'PRV-4':
    'The model card has a head for programs under the keys of Hugging Face, the rules in words, the reason codes, what happens between the thresholds, and the weak parts.',
  'PRV-5':
    'The wheel, in a clean environment of CPython 3.10 to 3.13, decides bundles of five kinds as REST does: no row differs, probabilities by at most 1e-5.',
  'EDG-1': 'The package declares that it needs Python 3.10 or later, and keeps to the grammar of 3.10.',
  'EDG-2': 'EdgePredictor.from_bundle(path).predict(input) gives the six fields of a decision.',
  'EDG-3': 'Offline decisions know the stages rules, classifier and fallback, never escalation.',
  'EDG-4': 'A local tool server offers make_decision, load_edge_bundle and get_bundle_info.',
  'EDG-5': 'Offline answers are those of the service; an input that fails the input schema is refused by both.',
  'EDG-6': 'The package declares the extras rules and mcp, all for both, and spark apart.',
  'EDG-7': 'Without the extras everything runs but patterns and the servers: expression rules decide.',
  'EDG-8': 'Neither the package nor the workbench lets ONNX Runtime identify the machine or send events to its maker.',
  'EDG-9': 'The package for Node and the browser decides as the service: the same digest, probabilities within 1e-5.',
  'EDG-10': 'The package for Node and the browser takes the bundles that the workbench and Python take, and no other.',
  'EDG-11': 'In Node and the browser many inputs are decided with progress and an end; a refused one is named.',
  'EDG-12': 'The package is at most 450 kB of script for tables and 2 MB for words, with licences and components.',
  'EDG-13':
    'A policy of a table or of words is saved as one HTML file that decides one input or a file and connects to nothing.',
  'EDG-14':
    'workbench sign puts a signature in the format of minisign beside a bundle or another file, with a key that the user makes; workbench verify --key, decision-edge verify --key and minisign say whether the file is as it was signed.',
};

const serving = {
  'SRV-1':
    'decision-edge serve answers POST /decide and /decide/batch, also below /api/v1, as the package decides and in the shapes of the workbench.',
  'SRV-2':
    'What it refuses has the code, status and place that the workbench gives it; a bad item of a batch fails alone.',
  'SRV-3': 'Several bundles are chosen by the names of their decision types; /openapi.json lists the fields of each.',
  'SRV-4': '/metrics counts decisions, refusals and request times of all workers for Prometheus; nothing of an input.',
  'SRV-5':
    'A bundle file that is replaced decides from then on; where it cannot be used the version before it does, and /ready and the log say so.',
  'SRV-6': 'After SIGTERM nobody is let in, and who has asked is answered.',
  'SRV-7': 'Bundles that cannot be served are named before the service listens; exit code 2.',
  'SRV-8': 'A Dockerfile and a compose example serve a bundle as a user without rights on a read-only root.',
  'SRV-9':
    'The first hour of an engineer, from pip install to a service that answers, is a page whose commands are run.',
  'SRV-10':
    'decision_edge.spark.decide adds the decision of each row to a Spark DataFrame or stream; a refused row tells why.',
  'SRV-11':
    'The recipes of docs/many-machines.md for Spark, Polars, DuckDB, Ray and Dask run and decide as the package does.',
  'SRV-12':
    'decision-edge serve closes a connection without a whole head after 5 s, answers a body that does not come after 10 s, and goes on answering beside more silent connections than it keeps.',
  'SRV-13': 'Its workers end with the process that started them, killed or not.',
  'SRV-14':
    'decision-edge serve --log FILE writes a line for each decision before its answer, whichever way it was asked for and by whichever worker, without the values of personal fields.',
  'SRV-15':
    'The log is turned over by size and keeps the stated number of files; half a line of a killed process is removed before the next one.',
  'SRV-16':
    'A log that cannot be written fails no call: /metrics counts the decisions without a line, and stderr says it once.',
  'SRV-17':
    'decision-edge serve does a call with an Idempotency-Key once, whichever worker it reaches, decides dry where it is asked to, and names a release by its digest, or an alias that it was exported with.',
};

const comingHome = {
  'HOM-1':
    'POST /api/v1/logs/import adds decisions of the edge to the release whose digest they name; unknown digests are named with their count and leave the others alone.',
  'HOM-2':
    'A decision of the edge stands in the log once, whatever is sent again, with its origin, without charge and with personal fields as the type says.',
  'HOM-3': 'Metrics, days, releases, replays, corrections, the audit and exports count decisions of the edge.',
  'HOM-4': 'What is odd in a line is said, before anything of it is written; the other lines are added.',
  'HOM-6':
    'A key needs the scope logs to bring decisions; who brought one, by which key and file, stands in its record.',
  'HOM-7':
    'Each line is decided again by its release, of texts whose encoder is not loaded one in 20; what differs is refused with both answers.',
  'HOM-5':
    'workbench import-log brings files home, also turned over, again and while they are written: through kills of the service nothing that was answered is lost, and nothing is there twice.',
};

const network = {
  'NET-1':
    'serve --listen is refused while there is no API key, and for an address that stands for several or none; /ready says where the workbench can be called.',
  'NET-2':
    'At the address of --listen only calls with a valid API key are let in: no session, no login code, no page, no public route; 127.0.0.1 stays as it is.',
};

const clock = {
  'CLK-1':
    'What a pause of over an hour, or a clock set ahead as far, makes due is removed after four hours of running, never before.',
  'CLK-2': 'GET /clock and /ready say so of more than a week; it ends then, or when the clock is back.',
  'CLK-3': "POST /clock/confirm says that the clock is right; only the owner's session may.",
  'CLK-4':
    'A record removed for its age can be restored by the owner for two days, but not where a type has pii_fields.',
};

const credits = {
  'CRD-1':
    'The balance has plan, allocation, used, remaining, percent_used, period_start and resets_at, for a key and for a session.',
  'CRD-2': 'Usage takes days of 1 to 90 (default 7), operation and the pagination.',
  'CRD-3': 'A usage item has id, operation, credits, decision_type_id, reference_id and created_at.',
  'CRD-4': 'The summary has total_credits and by_operation over everything that the filter selects.',
  'CRD-5': 'A decision costs 1 credit; a refused one costs nothing.',
  'CRD-6':
    'A training costs 2,000 credits once per policy, and is refunded when it could not be dispatched, or was cancelled or interrupted before it began to compute.',
  'CRD-7': 'Generation costs a credit per started 100 tokens of the teacher.',
  'CRD-8': 'Hosting costs 2 credits for each started hour of each deployed policy.',
  'CRD-9': 'Each decision credit refers to exactly one log record, and each record has exactly one.',
  'PLN-1': 'The plans have the prices, credits and numbers of decision types of the table.',
  'PLN-2': 'The trial plan allows 250 decisions, and its 5,000 credits once.',
  'PLN-3': 'A plan limits the number of decision types.',
  'PLN-4': 'Bundles are exported under Growth and Scale only, and under local.',
  'PLN-5': 'Used-up credits are a 402 quota_exceeded.',
  'PLN-6': 'Too few credits for a training are a 402 insufficient_credits.',
  'PLN-7': 'The default plan, local, refuses nothing and still meters.',
  'PLN-8': 'The owner chooses the plan; choosing the same again changes nothing.',
  'PLN-9': 'Monthly credits renew with the month.',
  'PLN-10': 'What was used in the month counts against every monthly plan that is chosen in it.',
  'PAG-1': 'A paginated list answers items, total, page, page_size and pages.',
  'PAG-2': 'page is at least 1 (default 1), page_size 1 to 100 (default 20), in every list.',
};

const identity = {
  'ACC-1': 'GET auth/me answers the user and the organisation.',
  'ACC-2': "PUT auth/me changes the user's name.",
  'ACC-3': "PUT auth/org changes the organisation's name; owner only.",
  'ACC-4': 'GET api-keys lists the keys without their secrets.',
  'ACC-5': 'POST api-keys answers 201 with id, name, key, prefix, rate_limit_per_minute and created_at.',
  'ACC-6': 'DELETE of a key revokes it; owner only.',
  'KEY-1': 'A key is 64 hexadecimal characters, shown once.',
  'KEY-2': 'A key is stored only as a salted, keyed hash.',
  'KEY-3': 'A key belongs to an organisation and reaches only its resources.',
  'KEY-4': 'The rate limit is 600 a minute by default and configurable for each key.',
  'KEY-5': 'Keys and tokens are made with secrets outside the database, readable by the owner of the folder only.',
  'AUT-1': 'Both a key and a token are sent as Authorization: Bearer.',
  'AUT-2': 'A key on a route of the account, its organisation, the keys or billing is a 403 forbidden.',
  'AUT-3': 'Missing or invalid credentials are a 401 unauthorized.',
  'AUT-4': 'The first login makes the user and links it to the organisation; the first user is the owner.',
  'AUT-5': 'Rotation: an old and a new key both work until one is revoked.',
  'AUT-6': 'Every answer to a key has X-RateLimit-Limit, X-RateLimit-Remaining and X-RateLimit-Reset, errors included.',
  'AUT-7': 'Retry-After is sent on 429 and only there.',
  'AUT-8': 'Exactly the limit passes within a window of one minute.',
  'AUT-9': 'A token is accepted on every route that a key is.',
  'AUT-10': 'The local identity provider signs with ES256 and shows its public keys.',
  'AUT-11': 'Tokens of other algorithms, keys, issuers and audiences are refused.',
  'AUT-12': 'An external identity provider can be set by issuer, audience and key address.',
  'AUT-13': 'Of one address, 60 wrong credentials a minute are a 401, more are a 429; right ones go on.',
  'AUT-14': 'Answers of the interface are sent with Cache-Control: no-store.',
};

const ruleSheet = {
  'RSH-1':
    'A cell of the sheet of rules becomes a condition that decides as the cell says; a condition is shown as cells only where typing these would decide the same.',
  'RSH-2': 'What a cell cannot mean is refused beside it with what to write instead, and changes nothing.',
  'RSH-3': 'A rule that does not fit a row says so in its row, stays as it is, and is opened as code by Enter.',
  'RSH-4':
    'Rules are made, changed, moved, cleared and taken back in the sheet by keyboard alone; cells offer the values that occur with their counts.',
  'RSH-5':
    'Beside the sheet stand the rule at the cursor in words and in code, and the values of the field of the cell.',
  'RSH-7':
    'POST …/policies/{id}/rules-effect says of unsaved rules whether the whole decision gets better or worse on the held-out rows: right, alone, wrong among these, cost; saving nothing.',
  'RSH-8':
    'Plain words in a condition (between, is, if … then, a decimal comma) get the words of the language, and a value that never occurs gets those that do.',
  'RSH-9': 'A rule with a problem hides nothing of the others: these are tried without it, and it is named.',
  'RSH-10': 'The analysis of rules lists the newest examples that no rule decides.',
  'RSH-11':
    'A date in a condition that is compared by size and does not begin with its year gets a warning with the form to write.',
  'RSH-12':
    'The analysis of rules gives the values and numbers of a field also for each label; beside the sheet they are a chart with its table, or bars, in the colours of the options.',
  'RSH-13':
    'A cell reads what decision tables and other languages write, or refuses it with the form to write; it never becomes a text that no input has.',
  'RSH-14':
    'Cells, searches of examples and conditions ignore case in every language, and how accents are stored, in both readers alike; functions that know a to z alone say so.',
  'RSH-15':
    'POST …/policies/{id}/rules-effect says of each rule how many points it adds to the share correct, and what to the cost, against the other rules without it; the sheet shows both.',
  'RSH-16':
    'The sheet of rules knows ranges, by keys and pointer: copied and pasted as blocks, filled down and cleared, each in one step of undo; a cell that cannot be read is named, and nothing changes.',
  'RSH-6':
    'Lines of a spreadsheet whose first names the columns become rules after a preview that names what is not understood; the sheet is copied in the same form.',
  'END-1':
    'The sheet of rules is saved as an Excel file and comes back from it to the letter, code and priorities included; a cell that cannot be read is named as in a spreadsheet, and then nothing changes.',
  'END-2':
    'The sheet of rules shows five fields with their counts in 1,440 pixels; below 1,200 the pane of the rule opens below it, and on the line of a new rule the pane is not that of another one.',
  'END-3': 'Of 200 rules with 12 fields only the rows in sight exist; keys reach each of them and bring it into sight.',
};

const border = {
  'ERR-1': 'Every answer that is not a success has the envelope error with code, message and perhaps details.',
  'ERR-2': 'A 422 validation_error has details with type, loc and msg.',
  'ERR-3': 'A malformed request is a 400 bad_request.',
  'ERR-4': 'An unknown resource is a 404 not_found, an unknown decision type a 404 decision_type_not_found.',
  'ERR-5': 'A body beyond 1 MiB (16 MiB where examples are added or imported) is a 413 payload_too_large.',
  'ERR-6': 'An unexpected fault is a 500 internal_error that tells nothing of the inside.',
  'ERR-7': 'A known address with another method is a 405 method_not_allowed.',
  'ERR-8': 'A body that is not application/json is a 415 unsupported_media_type.',
  'ERR-9': 'JSON is nested at most 32 levels deep, and an object has at most 2,000 keys, in the Python package, too.',
  'ERR-10': 'A part that is not available now is a 503 unavailable, and nothing was changed.',
  'ERR-11': 'The documents list the same codes and statuses as are sent.',
  'LRG-1':
    'Bodies above 100 kB, imports, checks of rules and of large definitions are worked on outside the thread that answers: other calls go on.',
  'LRG-2':
    'Large calls take at most 64 MiB of one caller (beyond: 429 rate_limited) and 160 MiB of all (503 unavailable), with Retry-After.',
  'LRG-3':
    'A call whose work outgrows the memory of its process is a 422, one that takes over 60 s of the processor or whose process dies a 503; nothing is changed.',
  'LRG-4':
    'What a packed file holds is asked of its directory before it is read: sheets of next to nothing, and Parquet files of more rows, columns or cells than are read, are refused. Answers repeat at most 200 characters of a name that was sent, 100 problems and a megabyte of rows.',
  'LRG-5':
    'No caller has all processes for large calls at once, nor more than one for a file, and files of all leave one to other calls.',
  'LRG-6':
    'Twice the input takes at most twice the processor time of the thread that answers, whatever it holds, and no call holds it for more than 100 ms, in the Python package, too.',
  'LRG-7':
    'Every operation says what bounds its work in what is stored: an index, a page, counts, turns for others, a process of its own or a limit. Beside none does anybody wait long on a folder with 20,000 examples, 20,000 log records, 2,000 types and 2,000 releases.',
  'IDM-1':
    'A call with an Idempotency-Key that was done is not done again for 24 hours: the same key with the same request is given the same status and body, with Idempotency-Replayed: true, also after a restart.',
  'IDM-2':
    'The key with another request, or one that is not 1 to 128 printable ASCII characters, is a 422 at header, idempotency-key; the same call while the first is under way is a 409 conflict.',
  'IDM-3': 'Refusals are not kept: the same call is tried again.',
  'IDM-4': 'A kept answer is removed after 24 hours, and the key is free again.',
  'IDM-5': 'A kept answer can be read only with the request that it answers.',
  'IDM-6': 'The document names the header of every operation that takes it; making an API key does not.',
  'IDM-7': 'An effect and its answer are stored together: a kill between the two leaves both or neither.',
  'IDM-8': 'Keys of different callers have nothing to do with each other: an API key is one caller, a person another.',
  'LCK-1':
    'While another program holds the data file, reads and /health are answered as ever, and writes that wait succeed when it lets go within five seconds.',
  'LCK-2': 'After five seconds a waiting write is a 503 unavailable, and nothing was changed.',
  'LCK-3': 'A training that ends while another program holds the data file is stored when it lets go.',
  'EVT-1':
    'GET /events tells every listener of the organisation what callers have changed: operation, decision type, example and X-Request-ID; reads and refusals are not told.',
  'EVT-2': 'It tells that trainings and searches move on and end, and how many decisions were recorded, in groups.',
  'EVT-3':
    'A stream begins with ready and has no memory; past 16 streams of a caller, or 64 of all, the next is a 503 unavailable.',
  'EVT-4': 'Nothing is told to another organisation.',
  'EVT-5': 'The end of the server ends every stream at once.',
  'EVT-6':
    'What waits for a slow reader is bounded: then it is told reset; after 30 s without taking anything its stream is closed. Every stream ends after ten minutes.',
  'EVT-7': 'The streams of an API key end when it is revoked.',
  'MCP-1': 'A Streamable HTTP tool server at /mcp takes the API key in the Authorization header.',
  'MCP-2':
    'It offers 23 tools: decision types with their rules and thresholds, examples, findings about the data, labelling, explaining, training, policies, how well they decide and their deployment, decisions, logs, metrics, credits and export.',
  'MCP-3':
    'workbench mcp offers the same tools on stdin and stdout, with the key in WORKBENCH_API_KEY or as the local owner.',
  'MCP-4':
    'Without a running workbench it ends with exit 96 and the remedy; one that stops meanwhile is reported as an error.',
  'MCP-5': 'It announces no messages about changed lists: a server without state sends none.',
  'MCP-6': 'What breaks the protocol itself, a wrong Accept or a body that is no JSON-RPC, is answered in its form.',
  'MCP-7':
    'Each tool call of a JSON-RPC batch counts as one call of its key; one past the limit is an error result that says when to call again.',
  'MCP-8':
    'Null for an argument that may be left out counts as left out, and an object or list that comes as JSON text is read.',
  'MCP-9':
    'An answer to an agent is a short text, and its JSON as text and structured; equal errors of a batch stand once.',
  'CLN-1':
    'The document describes every operation, and has no alternatives, mixed types or defaults that are objects or do not fit, which generators of clients stumble over; second names of fields are accepted and not in it.',
  'CLN-2': 'An unknown parameter of an address is called so on every operation.',
  'CLN-3': 'POST decide/batch?dry_run=true decides without log records and charges.',
  'CLN-4': 'Every POST that makes something takes an Idempotency-Key, but those of API keys and backups.',
  'CLN-5': 'Where an ETag is sent, If-None-Match is answered with 304 and HEAD with the headers.',
  'CLN-6':
    'Clients made of the document by openapi-generator (Java, Go, Python), oapi-codegen and openapi-python-client compile, and decide one input and a batch against the server.',
  'AGT-1': 'The list of tools takes less than 25 kB, and every argument in it is described.',
  'AGT-2':
    'evaluate_policy has the whole decision, slices, promise, costs, unsaved rules and a comparison; answers do not repeat what was sent.',
  'AGT-3': 'The guide to rules, and the model card of each deployed policy, are resources.',
  'AGT-4':
    'A tool about work in the background waits for its end up to 50 s and tells how far it is where progress is asked for; a second training is told which one is in progress.',
  'AGT-5':
    'A key may have scopes (decide, read, label, train, deploy, export) and reaches the operations of these alone: elsewhere a 403 names the one that is needed. A key without scopes has all; a training that deploys needs deploy, too.',
  'AGT-6':
    'Agents are offered the tools that their key may use; destructive ones with a key without scopes only where it says so, as those of before do.',
  'RUN-1': 'serve prints one line of JSON with url, mcp_url, data_dir and pid when it is ready.',
  'RUN-2':
    'A data folder in use ends the start with exit 97 and the address, a busy port with exit 98; a program that only reads the database keeps nobody from starting.',
  'RUN-3': 'token prints a session of the local owner.',
  'RUN-4': 'npm start opens the window, or the browser through a login link that works once.',
  'DAT-1':
    'A data folder whose database is missing, empty, damaged, of another folder, of a newer program or from before 0.2.0 is refused with a sentence; nothing is changed.',
  'DAT-2': 'What the database does not know is moved to the trash of the data folder and kept there for 30 days.',
  'DAT-3':
    'A data folder that is removed or replaced while the program runs is noticed within 5 s: not ready, and every write a 503.',
  'DAT-4':
    "A folder that is not a data folder of the workbench is refused and keeps its permissions; ours is its owner's.",
  'DAT-5':
    'An upgrade of the data is done as a whole after a checked copy, or not at all; policies it takes out of service are named before.',
  'DAT-6': 'The data are checked at the start or soon after, and daily; /ready, the page and the log report damage.',
  'DAT-7':
    'POST backups answers 201 and writes a backup while the service goes on, one at a time; GET backups lists them; owner only.',
  'DAT-9':
    'POST backups/{name}/verify reads a backup again and says what is wrong; restore makes a new data folder of it, refuses to overwrite and touches nothing beside it; one order at a time; owner only.',
  'DAT-10':
    'A running workbench makes a backup a day and keeps the newest seven (--daily-backups) beside those made by hand; where the disk has no room it makes none, and says so as an alert.',
  'DAT-8': 'workbench backup, restore and verify need no running workbench; restore makes a new data folder only.',
  'RUN-5': 'Flags and environment variables fill the same options, flags first; wrong ones are explained.',
  'RUN-6': 'What npm started ends when npm is ended, by SIGTERM, SIGKILL or Ctrl+C.',
  'RUN-7':
    'decision-workbench needs no npm, home or name of its user, a writable TMPDIR alone, and 256 open files; a Node that is too old is told so.',
  'RUN-8': 'Every command ends with the codes of the table in docs/running.md, and a sentence without stack or JSON.',
  'RUN-10':
    'The packed program runs as decision-workbench and workbench from a bare folder: plain JavaScript, at most 25 MB, two packages, and without ONNX Runtime tables and words are learned.',
  'RUN-9': 'The first call of README works as it is written, and the classifier decides.',
};

const commands = {
  'CMD-1':
    'The bundle of any trained policy of a type is exported by its id; without one, that of the deployed policy.',
  'CMD-2': 'A training takes a seed; without one it follows from the digest of the examples.',
  'CMD-3':
    'workbench train makes a decision type of a file, trains it and writes its bundle; it answers with one line of JSON.',
  'CMD-4': 'With an accuracy under --fail-under it ends with 1, writes no bundle and deploys nothing.',
  'CMD-5': 'What a command refuses ends with 2 and a sentence that names place and remedy, and leaves nothing behind.',
  'CMD-6': 'On a folder on which a workbench runs the commands work through it, on any other they open it themselves.',
  'CMD-7': 'workbench decide answers as REST does, in the order of the rows; a refused row has a line of its own.',
  'CMD-8': 'Ctrl+C cancels the training of workbench train; nothing of it is left, and the code is 130.',
  'CMD-9': 'workbench import, evaluate and export say what was added, measured and written.',
  'CMD-10':
    'The commands read every file as an import does, by the rows that an open import gives, and ask for what its values leave open by --read-as.',
  'CMD-11': 'Of JSON Lines, workbench decide answers every line in its place; one that is no input costs no other.',
  'CMD-13': 'A command beside a workbench that does not answer says so and ends with 3.',
  'CMD-12':
    '--out replaces a bundle and nothing else, is checked before the work, and is written as the umask says; no part of it is left.',
};

const firstProject = {
  'FST-1':
    'The rail shows five steps of a type (data, labels, train, check, deploy), which are done and which is next; the bar names the one next act.',
  'FST-2':
    'The next act counts the corrections to learn before rows to label; the labels that a model disagrees with are offered for a review and never the next act.',
  'FST-3':
    'A training ends with the figure to quote in the largest type, beside what rules alone and the commonest answer reach, how much is decided alone and the weakest answer.',
  'FST-4': 'Messages stand in the status line and cover nothing; an error stays until it is closed.',
};

export const requirements: Readonly<Record<string, Requirement>> = {
  ...service,
  ...tab,
  ...decisionTypes,
  ...deciding,
  ...decisionModels,
  ...examples,
  ...training,
  ...records,
  ...serving,
  ...comingHome,
  ...network,
  ...clock,
  ...credits,
  ...identity,
  ...ruleSheet,
  ...border,
  ...commands,
  ...firstProject,
};
