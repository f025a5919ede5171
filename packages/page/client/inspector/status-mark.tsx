import { strings } from "../strings/strings.ts";

/** The status of a run or a step, as a word and a colour. */
export function StatusMark({ status }: { status: string }) {
  return (
    <span class="status" data-status={status}>
      {statusName(status)}
    </span>
  );
}

const names: ReadonlyMap<string, string> = new Map(Object.entries(strings.inspector.statuses));

/** Returns the word for a status. */
export function statusName(status: string): string {
  return names.get(status) ?? status;
}
