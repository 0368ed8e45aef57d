/** The names of the kinds of a column, and of a field's texts. */
import type { ColumnKind } from '../../../engine/import/sheet.ts';

export const kindNames: Readonly<Record<ColumnKind, string>> = {
  number: 'Number',
  number_decimal_comma: 'Number, decimal comma',
  date_day_first: 'Date, day first',
  date_month_first: 'Date, month first',
  date_year_first: 'Date, year first',
  date_month_only: 'Date, month only',
  yes_no: 'Yes or no',
  list_semicolon: 'List, A; B',
  list_bar: 'List, A|B',
  list_comma: 'List, A, B',
  text: 'Text or category',
  as_is: 'As it stands',
};
