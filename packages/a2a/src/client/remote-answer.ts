import type { Artifact, TokenUsage } from "@troupe/core";
import { readObject } from "@troupe/core/kit";
import { describeUsageProblem, normalizeUsage } from "@troupe/core/transport";
import { isInterrupted } from "../wire/task.ts";
import type { A2AArtifact, A2AMessage, A2APart, A2AStatus } from "../wire/task.ts";
import { badForm } from "./remote-failure.ts";
import type { RemoteEvent } from "./read-reply.ts";

/** An artifact of a remote agent as received so far: its text, and its other parts. */
type Gathered = { readonly name: string; text: string; files: A2APart[]; bytes: number };

/**
 * Bytes that are counted for each artifact and each part of a remote answer besides its content, so that many empty
 * artifacts or parts exceed the limit too.
 */
const overhead = 64;

const betweenArtifacts = "\n\n";

/** Collects the answer of a remote agent from the events of its task. */
export class RemoteAnswer {
  readonly #maxBytes: number;
  readonly #artifacts = new Map<string, Gathered>();
  #bytes = 0;
  #artifactsWithText = 0;
  #message: A2AMessage | undefined;
  #history: readonly A2AMessage[] = [];
  #status: A2AStatus | undefined;
  #told: Readonly<Record<string, unknown>> = {};

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The last status of the remote task. Undefined if the agent answered with a message instead of a task. */
  get status(): A2AStatus | undefined {
    return this.#status;
  }

  /** The text of the remote agent's artifacts received so far. */
  get artifactText(): string {
    const texts = [...this.#artifacts.values()].flatMap(({ text }) => (text === "" ? [] : text));
    return texts.length === 1 ? (texts[0] ?? "") : texts.join(betweenArtifacts);
  }

  /**
   * The text of the answer. It is the first of these that exists: the text of the artifacts, of the answering message
   * or the status, of the agent's last message in the history, or the answer's single data value as JSON. If the task
   * waits for its client, the question follows the artifacts.
   */
  get text(): string {
    const ofArtifacts = this.artifactText;
    const ofStatus = textOf(this.#message ?? this.#status?.message);
    if (this.#status !== undefined && isInterrupted(this.#status.state)) {
      return [ofArtifacts, ofStatus].filter((text) => text !== "").join(betweenArtifacts);
    }
    return ofArtifacts || ofStatus || textOf(this.#lastOfAgent()) || this.#dataText();
  }

  /** The usage that the agent reported for its run; undefined if it reported none. */
  get usage(): TokenUsage | undefined {
    const { usage } = this.#told;
    return typeof usage === "object" && usage !== null ? normalizeUsage(readUsage(usage)) : undefined;
  }

  /**
   * The reason why the usage that the agent reported is rejected, as the end of a sentence that begins with the agent's
   * name. Undefined for valid usage.
   */
  get usageProblem(): string | undefined {
    const { usage } = this.#told;
    return describeUsageProblem(typeof usage === "object" && usage !== null ? readUsage(usage) : usage);
  }

  /** The data of the answer if it is a single value, alone or beside the answer's text; otherwise null. */
  get structured(): unknown {
    const [found, ...more] = this.#answerData();
    return found?.kind === "data" && more.length === 0 ? found.data : null;
  }

  /** The files and data of the answer, without its structured value. */
  get artifacts(): Artifact[] {
    const [structured, ...more] = this.#answerData();
    const left = more.length === 0 ? structured : undefined;
    const gathered = [...this.#artifacts.values()].flatMap(({ name, files }) =>
      files.flatMap((part) => (part === left ? [] : toArtifact(part, name))),
    );
    const ofMessage = this.#filesOfMessage().flatMap((part) => (part === left ? [] : toArtifact(part, "")));
    return [...gathered, ...ofMessage];
  }

  /**
   * Adds an event of the task to the answer. Returns the text that its artifacts add. Throws if the answer then has
   * more than `maxReplyBytes`.
   */
  take(event: RemoteEvent): string {
    if (event.told !== undefined) this.#told = { ...this.#told, ...event.told };
    switch (event.type) {
      case "message":
        this.#grow(bytesOf(event.message.parts));
        this.#message = event.message;
        return "";
      case "status":
        this.#status = event.status;
        return "";
      case "task":
        this.#status = event.task.status;
        this.#history = event.task.history;
        return event.task.artifacts.map((artifact, index) => this.#put(artifact, { append: false, index })).join("");
      default:
        return this.#put(event.artifact, { append: event.append, index: 0 });
    }
  }

  /** Stores an artifact, or appends its parts to the earlier parts. Returns the added text. */
  #put(artifact: A2AArtifact, { append, index }: { append: boolean; index: number }): string {
    const gathered = this.#find(artifact, index);
    const had = gathered.text;
    const isFirst = had === "" && this.#artifactsWithText === 0;
    const bytes = bytesOf(artifact.parts);
    this.#grow(append ? bytes : bytes - gathered.bytes);
    if (!append) Object.assign(gathered, { text: "", files: [], bytes: 0 });
    gathered.bytes += bytes;
    const added = artifact.parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
    gathered.text += added;
    gathered.files.push(...artifact.parts.filter((part) => part.kind !== "text"));
    this.#artifactsWithText += Number(gathered.text !== "") - Number(had !== "");
    if (had !== "") return append ? added : afterSame(had, added);
    return added === "" || isFirst ? added : betweenArtifacts + added;
  }

  #find({ artifactId, name = "" }: A2AArtifact, index: number): Gathered {
    const id = artifactId || `#${index}`;
    const known = this.#artifacts.get(id);
    if (known !== undefined) return known;
    this.#grow(overhead);
    const begun = { name, text: "", files: [], bytes: 0 };
    this.#artifacts.set(id, begun);
    return begun;
  }

  #grow(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#maxBytes) {
      throw badForm(`sent an answer of more than ${this.#maxBytes} bytes. Raise maxReplyBytes to take more`);
    }
  }

  #lastOfAgent(): A2AMessage | undefined {
    return this.#history.findLast(({ role }) => role === "agent");
  }

  #filesOfMessage(): A2APart[] {
    return (this.#message?.parts ?? []).filter(({ kind }) => kind !== "text");
  }

  /**
   * Returns the data parts that belong to the answer: the data parts of the answering message, and of artifacts that
   * have text. A single artifact need not have text.
   */
  #answerData(): A2APart[] {
    const all = [...this.#artifacts.values()];
    const parts = all.flatMap(({ text, files }) => (text !== "" || all.length === 1 ? files : []));
    return [...parts, ...this.#filesOfMessage()].filter(({ kind }) => kind === "data");
  }

  #dataText(): string {
    const [only, ...more] = this.#answerData();
    return only?.kind === "data" && more.length === 0 ? JSON.stringify(only.data) : "";
  }
}

/**
 * Returns the new text of an artifact that was sent again as a whole: the part after the known text, or the whole text
 * if it does not begin with the known text.
 */
function afterSame(had: string, text: string): string {
  return text.startsWith(had) ? text.slice(had.length) : text;
}

function textOf(message: A2AMessage | undefined): string {
  return (message?.parts ?? []).map((part) => (part.kind === "text" ? part.text : "")).join("");
}

const counters = ["promptTokens", "completionTokens", "totalTokens", "cachedTokens", "reasoningTokens"] as const;

/** Returns only the token counters of a usage, without the remote vendor's own usage object. */
function readUsage(usage: object): TokenUsage {
  const fields = readObject(usage);
  const read = Object.fromEntries(counters.flatMap((name) => (name in fields ? [[name, fields[name]]] : [])));
  return read as unknown as TokenUsage;
}

function bytesOf(parts: readonly A2APart[]): number {
  return parts.reduce((sum, part) => sum + overhead + Buffer.byteLength(contentOf(part)), 0);
}

/** Returns the content of a message's or artifact's part as a string. */
function contentOf(part: A2APart): string {
  switch (part.kind) {
    case "text":
      return part.text;
    case "bytes":
      return part.base64;
    case "url":
      return part.url;
    default:
      return JSON.stringify(part.data);
  }
}

function toArtifact(part: A2APart, name: string): Artifact | [] {
  const { mediaType: mimeType } = part;
  const type = part.filename ?? (name || (part.kind === "data" ? "data" : "file"));
  const typed = mimeType === undefined ? {} : { mimeType };
  switch (part.kind) {
    case "bytes":
      return { type, data: part.base64, ...typed };
    case "url":
      return { type, data: part.url, ...typed };
    case "data":
      return { type, data: part.data, ...typed };
    default:
      return [];
  }
}
