/** Another program that takes the write lock of a data file, or reads it, until it is told to let go or is killed. */
import Database from 'better-sqlite3';

const [file, kind] = process.argv.slice(2);
if (!file) throw new Error('the data file is missing');
const db = new Database(file, { fileMustExist: true, timeout: 5_000, readonly: kind === 'READ' });
db.exec(kind === 'READ' ? 'BEGIN; SELECT count(*) FROM organisations' : `BEGIN ${kind}`);
process.once('message', () => {
  db.exec('ROLLBACK');
  db.close();
  process.disconnect();
});
process.send?.('locked');
