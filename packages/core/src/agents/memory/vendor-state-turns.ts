import type { ChatMessage } from "../../base/message/message.ts";
import type { AddTurnOptions } from "./memory-options.ts";
import type { MemoryRecord } from "./memory-record.ts";

/**
 * Updates the turns with vendor state in a memory's record. Adds the new turn if it has state, updates the positions of
 * earlier turns, and removes turns that left the window.
 */
export function withVendorStateTurn(
  { vendorStateTurns: known, ...record }: MemoryRecord,
  { added, window }: { added: readonly ChatMessage[]; window: readonly ChatMessage[] },
  { hasVendorState = false, through }: AddTurnOptions,
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
