import type { AgUiEvent } from "./ag-ui-event.ts";

/** A message in the form of AG-UI, which grows with the events. */
type Message = { readonly id: string; content?: string; readonly [field: string]: unknown };

/**
 * The messages that a client makes of the events that it receives, each with the step of the run that wrote it. When a
 * step becomes void, a snapshot is made of the other messages.
 */
export class MessageList {
  readonly #messages: { readonly step: string; readonly message: Message }[] = [];

  /** Applies an event to the messages, as the client does. */
  take(event: AgUiEvent, step: string): void {
    switch (event.type) {
      case "TEXT_MESSAGE_START":
        return this.#add(step, this.#textOf(event, "assistant"));
      case "REASONING_MESSAGE_START":
        return this.#add(step, this.#textOf(event, "reasoning"));
      case "TEXT_MESSAGE_CONTENT":
      case "REASONING_MESSAGE_CONTENT":
        return this.#append(event["messageId"], event["delta"]);
      case "TOOL_CALL_START": {
        const { toolCallId: id, toolCallName: name } = event;
        const call = { id, type: "function", function: { name, arguments: "" } };
        return this.#add(step, { id: String(id), role: "assistant", toolCalls: [call] });
      }
      case "TOOL_CALL_ARGS":
        return this.#appendArguments(event["toolCallId"], event["delta"]);
      case "TOOL_CALL_RESULT": {
        const { messageId, toolCallId, content } = event;
        return this.#add(step, { id: String(messageId), role: "tool", toolCallId, content: String(content) });
      }
      default:
        return undefined;
    }
  }

  /** Removes the messages of a step, and returns true if there were any. */
  drop(step: string): boolean {
    const kept = this.#messages.filter((each) => each.step !== step);
    const hadSome = kept.length < this.#messages.length;
    this.#messages.splice(0, Infinity, ...kept);
    return hadSome;
  }

  clear(): void {
    this.#messages.length = 0;
  }

  toArray(): readonly object[] {
    return this.#messages.map(({ message }) => message);
  }

  #textOf({ messageId, subagentRunId, metadata }: AgUiEvent, role: string): Message {
    const within = {
      ...(subagentRunId !== undefined && { subagentRunId }),
      ...(metadata !== undefined && { metadata }),
    };
    return { id: String(messageId), role, content: "", ...within };
  }

  #add(step: string, message: Message): void {
    this.#messages.push({ step, message });
  }

  #append(id: unknown, text: unknown): void {
    const found = this.#messages.findLast(({ message }) => message.id === id);
    if (found !== undefined) found.message.content = `${found.message.content}${String(text)}`;
  }

  #appendArguments(id: unknown, text: unknown): void {
    const found = this.#messages.findLast(({ message }) => message.id === id);
    const [call] = (found?.message["toolCalls"] ?? []) as { function: { arguments: string } }[];
    if (call !== undefined) call.function.arguments += String(text);
  }
}
