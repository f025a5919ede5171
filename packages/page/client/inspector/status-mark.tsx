import { inspectorStrings } from "../strings/inspector-strings.ts";

/** The status of a run or a step, as a word and a colour. */
export function StatusMark({ status }: { status: string }) {
  return (
    <span class="status" data-status={status}>
      {statusName(status)}
    </span>
  );
}

const names: ReadonlyMap<string, string> = new Map(Object.entries(inspectorStrings.statuses));

/** Returns the word for a status. */
export function statusName(status: string): string {
  return names.get(status) ?? status;
}
