/** The status of a run or a step, as a word and a colour. */
export function StatusMark({ status }: { status: string }) {
  return (
    <span class="status" data-status={status}>
      {status}
    </span>
  );
}
