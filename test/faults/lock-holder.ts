/** Another program that takes the write lock of a data file, and holds it until it is told to let go or is killed. */
import Database from 'better-sqlite3';

const [file, kind] = process.argv.slice(2);
if (!file) throw new Error('the data file is missing');
const db = new Database(file, { fileMustExist: true, timeout: 5_000 });
db.exec(kind === 'EXCLUSIVE' ? 'BEGIN EXCLUSIVE' : 'BEGIN IMMEDIATE');
process.once('message', () => {
  db.exec('ROLLBACK');
  db.close();
  process.disconnect();
});
process.send?.('locked');
