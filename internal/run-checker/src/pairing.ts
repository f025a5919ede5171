import type { HistoryMessage } from "./history.ts";

const roles = ["system", "user", "assistant", "tool"];

/** Where a history breaks the rules that all vendors have for roles, calls and results. */
export function* pairingBreaches(history: readonly HistoryMessage[]): Generator<string> {
  let open = new Set<string>();
  for (const [index, message] of history.entries()) {
    yield* roleBreaches(
      message,
      history.slice(0, index).findLast(({ role }) => role !== "system"),
    );
    if (message.role === "tool") {
      if (!open.delete(message.answers ?? "")) yield `the result for ${message.answers} has no call right before it`;
      continue;
    }
    yield* unanswered(open, `the next message, of the ${message.role}`);
    open = new Set(message.calls);
    if (open.size < message.calls.length) yield `two calls of one message have the id ${repeated(message.calls)}`;
  }
  yield* unanswered(open, "the end");
}

function* roleBreaches({ role }: HistoryMessage, before: HistoryMessage | undefined): Generator<string> {
  if (!roles.includes(role)) yield `no vendor knows the role ${role}`;
  else if (role === "system" && before !== undefined) yield "instructions stand in the middle";
  else if (role === "assistant" && before === undefined) yield "the assistant speaks before the user";
}

function* unanswered(open: ReadonlySet<string>, where: string): Generator<string> {
  if (open.size > 0) yield `${[...open].join(", ")} has no result before ${where}`;
}

function repeated(ids: readonly string[]): string | undefined {
  return ids.find((id, index) => ids.indexOf(id) < index);
}
