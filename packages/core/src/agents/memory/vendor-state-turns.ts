import type { ChatMessage } from "../../base/message/message.ts";
import type { AddMessagesOptions } from "./memory-options.ts";
import type { MemoryRecord } from "./memory-record.ts";

/** Notes a turn with state of vendors, and how far those before have moved, and forgets those that left the window. */
export function withVendorStateTurn(
  { vendorStateTurns: known, ...record }: MemoryRecord,
  { added, window }: { added: readonly ChatMessage[]; window: readonly ChatMessage[] },
  { hasVendorState = false, through }: AddMessagesOptions,
): MemoryRecord {
  const isNew = hasVendorState && through !== undefined;
  if (known === undefined && !isNew) return record;
  const [moved, kept] = [countInputs(added), countInputs(window)];
  const turns = (known ?? []).map(({ seq, fromEnd }) => ({ seq, fromEnd: fromEnd + moved }));
  if (isNew) turns.push({ seq: through, fromEnd: 1 });
  return { ...record, vendorStateTurns: turns.filter(({ fromEnd }) => fromEnd <= kept) };
}

function countInputs(messages: readonly ChatMessage[]): number {
  return messages.filter(({ role }) => role === "user").length;
}
