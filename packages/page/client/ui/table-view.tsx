import { formatCount } from "./format.ts";
import { plainLine } from "./unseen.ts";
import { strings } from "../strings/strings.ts";

/** Rows of text under their headings. */
export type Table = { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };

/** The maximum number of rows of a table that are shown. */
const mostRows = 100;

/** A table of an artifact: its first rows. */
export function TableView({ name, table: { head, rows } }: { name: string; table: Table }) {
  return (
    <div class="table" tabIndex={0} role="group" aria-label={strings.parts.tableNamed(name)}>
      <table>
        <thead>
          <tr>
            {head.map((cell, index) => (
              <th key={index} scope="col">
                {plainLine(cell)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, mostRows).map((row, number) => (
            <tr key={number}>
              {row.map((cell, index) => (
                <td key={index}>{plainLine(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > mostRows && (
        <p class="muted">{strings.parts.firstRows(formatCount(mostRows), formatCount(rows.length))}</p>
      )}
    </div>
  );
}
