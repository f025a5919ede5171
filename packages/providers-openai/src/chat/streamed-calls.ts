import { createId, readObject, readText } from "@troupe/core/kit";
import type { ModelChunk } from "@troupe/core/provider";
import { argumentsText, callId } from "../to-tool-calls.ts";
import type { WireCall } from "./wire-types.ts";

type Piece = { index: number | undefined; id: string; name: string; args: string };
type OpenCall = { id: string; name: string; isEnded: boolean; untold: string };

/**
 * Assembles tool calls from the deltas of any server. A delta names its call by index, by id or not at all. Indexes may
 * be missing, or the same for all calls. Ids may arrive late, be empty or be repeated, and names may be repeated.
 */
export class ChatToolCalls {
  readonly #calls: OpenCall[] = [];
  // The map is created for the first tool call, because most answers contain no calls.
  #byIndex: Map<number, OpenCall> | undefined;

  /** The number of tool calls with a name. */
  get count(): number {
    return this.#calls.filter(({ name }) => name !== "").length;
  }

  /** The number of tool calls that never got a name and cannot be executed. */
  get skippedCount(): number {
    return this.#calls.length - this.count;
  }

  add(given: WireCall, chunks: ModelChunk[]): void {
    const piece = toPiece(given);
    const call = this.#find(piece) ?? this.#open(piece, chunks);
    const { name, args } = piece;
    if (call.name === "" && name !== "") {
      call.name = name;
      chunks.push({ type: "tool_call_start", toolCall: { id: call.id, name } });
    }
    call.untold += args;
    if (call.name === "" || call.untold === "") return;
    chunks.push({ type: "tool_call_delta", toolCallId: call.id, argumentsDelta: call.untold });
    call.untold = "";
  }

  /** Ends the open tool calls. A call without a name gets no chunk, because it cannot be executed. */
  end(chunks: ModelChunk[]): void {
    for (const call of this.#calls) this.#close(call, chunks);
  }

  #find(piece: Piece): OpenCall | undefined {
    const { index, id, name } = piece;
    if (index !== undefined) return this.#findByIndex(index, piece);
    if (id !== "") return this.#calls.find((call) => call.id === id);
    return name === "" ? this.#calls.at(-1) : undefined;
  }

  /** Finds a tool call by index. A new id with a name starts another call even under the index of a named call. */
  #findByIndex(index: number, { id, name }: Piece): OpenCall | undefined {
    const call = this.#byIndex?.get(index);
    if (!call?.name || id === "" || name === "") return call;
    return this.#calls.some((each) => each.id === id) ? call : undefined;
  }

  #open({ index, id }: Piece, chunks: ModelChunk[]): OpenCall {
    const isFree = id !== "" && !this.#calls.some((call) => call.id === id);
    const call = { id: isFree ? id : `call_${createId()}`, name: "", isEnded: false, untold: "" };
    this.#calls.push(call);
    if (index === undefined) return call;
    const byIndex = (this.#byIndex ??= new Map<number, OpenCall>());
    const replaced = byIndex.get(index);
    if (replaced !== undefined) this.#close(replaced, chunks);
    byIndex.set(index, call);
    return call;
  }

  #close(call: OpenCall, chunks: ModelChunk[]): void {
    if (call.name !== "" && !call.isEnded) chunks.push({ type: "tool_call_end", toolCallId: call.id });
    call.isEnded = true;
  }
}

function toPiece({ index, id, function: called }: WireCall): Piece {
  const { name, arguments: args } = readObject(called);
  return {
    index: typeof index === "number" ? index : undefined,
    id: callId(id),
    name: readText(name),
    args: argumentsText(args),
  };
}
