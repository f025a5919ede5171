import type { TextChunk } from "@troupe/core";
import type { UiChunk } from "./ui-chunk.ts";

/** Matches the keys of journal steps that call a model, in a run or a child run. */
export const modelStep = /(?:^|\/)m\/\d+$/;

/** A placeholder for the journal step of tool calls inside child runs. */
const innerStep = "inner";

type PartKind = "text" | "reasoning";

/**
 * A part of a UI message (text or reasoning) that is being written; `key` distinguishes the parts of different
 * speakers.
 */
type OpenPart = { readonly kind: PartKind; readonly id: string; readonly key: string };

/** The member of a team that wrote a text: see `SpokenBy` of the core. */
type SpokenBy = Pick<TextChunk, "member" | "speaker" | "delegationId">;

/**
 * The steps of a UI message and their text. A step has the output of one model call, the tool calls in it, and their
 * results. Output of the model after a result belongs to another step.
 */
export class MessageSteps {
  /** True once the open step of the message contains a tool result. */
  hasOutput = false;
  readonly #emit: (chunk: UiChunk) => void;
  /** The journal step of the message's open step; empty without a journal. Undefined if no step is open. */
  #step: string | undefined;
  #open: OpenPart | undefined;
  /** The open parts of a team's members, which write at the same time. */
  readonly #ofMembers = new Map<string, OpenPart>();
  #parts = 0;

  constructor(emit: (chunk: UiChunk) => void) {
    this.#emit = emit;
  }

  /**
   * Appends to the text or reasoning of the message's open step. Starts a new part if the last part has another kind or
   * speaker.
   */
  write(chunk: TextChunk, step: string): void {
    const kind = chunk.type === "text" ? "text" : "reasoning";
    const key = keyOf(kind, chunk);
    if (chunk.member !== undefined) return this.#writeMember(kind, key, chunk);
    this.enter(step);
    if (this.#open?.key !== key) {
      this.#closeAnswer();
      this.#open = this.#start(kind, key, chunk);
    }
    this.#emit({ type: `${kind}-delta`, id: this.#open.id, delta: chunk.text });
  }

  /** Appends to the text of a team's member, which has its own part in the open step. */
  #writeMember(kind: PartKind, key: string, chunk: TextChunk): void {
    this.ensure();
    // The reasoning of a member ends where its text begins, and its text ends where its reasoning begins.
    this.#endMember(keyOf(kind === "text" ? "reasoning" : "text", chunk));
    const part = this.#ofMembers.get(key) ?? this.#start(kind, key, chunk);
    this.#ofMembers.set(key, part);
    this.#emit({ type: `${kind}-delta`, id: part.id, delta: chunk.text });
  }

  #start(kind: PartKind, key: string, spoken: SpokenBy): OpenPart {
    this.#parts += 1;
    const id = `${kind}-${this.#parts}`;
    this.#emit({ type: `${kind}-start`, id, ...metadataOf(spoken) });
    return { kind, id, key };
  }

  /** Closes the parts of the members that a tool call delegated to. */
  closeMembers(delegationId: string): void {
    for (const key of this.#ofMembers.keys()) if (key.endsWith(`\n${delegationId}`)) this.#endMember(key);
  }

  #endMember(key: string): void {
    const part = this.#ofMembers.get(key);
    if (part === undefined) return;
    this.#ofMembers.delete(key);
    this.#end(part);
  }

  /** Opens a step of the message for output of the model, unless it belongs to the open step. */
  enter(step: string): void {
    const isSame = this.#step === step || this.#step === "" || (step === "" && this.#step !== innerStep);
    if (this.#step === undefined || this.hasOutput || !isSame) this.begin(step);
    else if (step !== "") this.#step = step;
  }

  /** Opens a step of the message for tool calls inside child runs, unless such a step is open. */
  enterInner(): void {
    if (this.#step !== innerStep) this.begin(innerStep);
  }

  /** Opens a step of the message, unless a step is open. */
  ensure(): void {
    if (this.#step === undefined) this.begin("");
  }

  begin(step: string): void {
    this.leave();
    this.#emit({ type: "start-step" });
    this.#step = step;
    this.hasOutput = false;
  }

  /** Closes the message's open step, if any. */
  leave(): void {
    this.close();
    if (this.#step !== undefined) this.#emit({ type: "finish-step" });
    this.#step = undefined;
  }

  /** Returns true if the message's open step belongs to this journal step. */
  isIn(step: string): boolean {
    return step === this.#step;
  }

  /** Removes the content of the message's open step. */
  reset(): void {
    this.#open = undefined;
    this.#ofMembers.clear();
    this.#emit({ type: "reset-step" });
  }

  /** Closes the message's open parts of text or reasoning, if any. */
  close(): void {
    this.#closeAnswer();
    for (const part of this.#ofMembers.values()) this.#end(part);
    this.#ofMembers.clear();
  }

  #closeAnswer(): void {
    if (this.#open !== undefined) this.#end(this.#open);
    this.#open = undefined;
  }

  #end({ kind, id }: OpenPart): void {
    this.#emit({ type: `${kind}-end`, id });
  }
}

function keyOf(kind: PartKind, { member, speaker, delegationId }: SpokenBy): string {
  return [kind, member ?? speaker ?? "", delegationId ?? ""].join("\n");
}

/** Returns the metadata of a part of text: the member of a team that wrote it. */
function metadataOf({ member, speaker, delegationId }: SpokenBy): { providerMetadata?: object } {
  if (member === undefined && speaker === undefined) return {};
  const named = member === undefined ? { speaker } : { member };
  return { providerMetadata: { troupe: { ...named, ...(delegationId !== undefined && { delegationId }) } } };
}
