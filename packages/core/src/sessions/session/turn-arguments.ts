import type { ChatMessage } from "../../base/message/message.ts";
import type { ToolCall } from "../../base/message/tool-call.ts";

/** The maximum weight of all tool call arguments in one turn: far more than models write. */
const maxWeight = 4_194_304;

/** The weight of each JSON value in arguments, in addition to its characters: a storage reads and writes each value. */
const valueWeight = 8;

/**
 * Returns the messages of a turn in stored form, with the arguments of its tool calls up to about 4 MB in total. Calls
 * beyond that are stored without arguments and counted in `leftOut`: otherwise a storage might reject the whole turn.
 */
export function toTurnMessages(messages: readonly ChatMessage[]): { kept: ChatMessage[]; leftOut: number } {
  const budget = { left: maxWeight };
  let leftOut = 0;
  const toStoredCall = (call: ToolCall): ToolCall => {
    const before = budget.left;
    if (fits(call.arguments, budget)) return call;
    budget.left = before;
    leftOut += 1;
    return { ...call, arguments: {} };
  };
  const kept = messages.map((message) => {
    const { toolCalls } = message;
    return toolCalls === undefined ? message : { ...message, toolCalls: toolCalls.map(toStoredCall) };
  });
  return { kept: leftOut === 0 ? [...messages] : kept, leftOut };
}

/**
 * Subtracts the weight of a value from the weight that is left for the turn's arguments. Returns true if enough was
 * left.
 */
function fits(value: unknown, budget: { left: number }): boolean {
  budget.left -= valueWeight + (typeof value === "string" ? value.length : 0);
  if (budget.left < 0) return false;
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every((item) => fits(item, budget));
  return Object.entries(value).every(([name, member]) => {
    budget.left -= name.length;
    return fits(member, budget);
  });
}
