import { strings } from "../strings/strings.ts";
import { inspectorStrings } from "../strings/inspector-strings.ts";

/** The kind of a step in the tree of a run. */
export type StepKind =
  | "model"
  | "tool"
  | "member"
  | "agent"
  | "step"
  | "part"
  | "retry"
  | "input"
  | "guardrail"
  | "wait"
  | "other";

/** A node on the path to a journal step: its key, its kind, and the numbers or the name in the key. */
export type PathPart = {
  readonly key: string;
  readonly kind: StepKind;
  readonly name: string;
  /**
   * The number of the round trip of a model call or tool call. `index`: the position of the tool call in its round
   * trip, or the number of a round or an item of a repeated workflow step.
   */
  readonly round?: number;
  readonly index?: number;
};

/** The nodes from the root to a step, and the note in the key of the last node. */
export type StepPath = {
  readonly parts: readonly PathPart[];
  /**
   * `turn`: the stored turn of a child run. `end`: the end of a workflow step that contains steps. `again`: a
   * repetition.
   */
  readonly note?: "turn" | "end" | "again";
};

/** The maximum depth of the drawn tree. Deeper steps are added to the last node. */
const deepest = 40;

type Reader = (tokens: readonly string[], path: PathPart[], note: { value?: StepPath["note"] }) => number;

/**
 * Readers of the beginning of a journal key, by its first token (the text up to a slash). Each returns the number of
 * tokens that it has read.
 */
const readers: Readonly<Record<string, Reader>> = {
  m: ([, round = ""], path) => {
    if (!isNumber(round)) return 0;
    push(path, `m/${round}`, {
      kind: "model",
      name: inspectorStrings.modelCall(Number(round) + 1),
      round: Number(round),
    });
    return 2;
  },
  t: ([, round = "", index = ""], path) => {
    if (!isNumber(round) || !isNumber(index)) return 0;
    push(path, `t/${round}/${index}`, { kind: "tool", name: "", round: Number(round), index: Number(index) });
    return 3;
  },
  w: ([, name], path) => {
    if (name === undefined) return 0;
    push(path, keyOfStep(decode(name)), { kind: "step", name: decode(name) });
    return 2;
  },
  // The prefix `route` (the choice of a member, in a team of mode `route`) adds no node to the path.
  route: () => 1,
  run: (_, path) => {
    const last = path.at(-1);
    if (last?.kind === "tool") path[path.length - 1] = { ...last, kind: "member" };
    else push(path, "run", { kind: "member", name: "" });
    return 1;
  },
  in: (_, path) => {
    push(path, "in", { kind: "input", name: strings.common.input });
    return 1;
  },
  g: ([, hash], path) => {
    push(path, `g/${hash ?? ""}`, { kind: "guardrail", name: inspectorStrings.outputGuardrails });
    return 2;
  },
  s: ([, what], _, note) => {
    note.value = what === "turn" ? "turn" : undefined;
    return what === "turn" ? 2 : 0;
  },
  end: (_, path, note) => {
    if (!isStep(path.at(-1))) return 0;
    note.value = "end";
    return 1;
  },
  again: (_, __, note) => {
    note.value = "again";
    return 1;
  },
};

/** Reads the key of a journal step. A key of an unknown form becomes one node named after the rest of the key. */
export function readStepPath(key: string): StepPath {
  const path: PathPart[] = [];
  const note: { value?: StepPath["note"] } = {};
  let tokens = key.split("/");
  while (tokens.length > 0 && path.length < deepest) {
    const [first = ""] = tokens;
    const read = readOne(first, tokens, path, note);
    if (read === 0) {
      push(path, tokens.join("/"), { kind: "other", name: tokens.join("/") });
      break;
    }
    tokens = tokens.slice(read);
  }
  return { parts: path, ...(note.value !== undefined && { note: note.value }) };
}

/** Returns the key of the workflow step with a name, among the steps of its run, round or item. */
export function keyOfStep(name: string): string {
  return `w/${encodeURIComponent(name)}`;
}

/** Returns the key of the step that asked a question, from the question's id. */
export function stepOfWait(waitId: string, kind: string): string {
  const key = waitId.replaceAll(".", "/");
  return kind !== "approval" && key.endsWith(`/${kind}`) ? key.slice(0, -kind.length - 1) : key;
}

// oxlint-disable-next-line max-params -- a `Reader`'s parameters, after the token that selects the reader
function readOne(first: string, tokens: readonly string[], path: PathPart[], note: { value?: StepPath["note"] }) {
  const reader = Object.hasOwn(readers, first) ? readers[first] : undefined;
  if (reader !== undefined) return reader(tokens, path, note);
  if (/^c\d+$/.test(first)) {
    push(path, first, { kind: "agent", name: "", index: Number(first.slice(1)) });
    return 1;
  }
  if (/^r\d+$/.test(first) && isStep(path.at(-1))) {
    push(path, first, { kind: "retry", name: inspectorStrings.attempt(Number(first.slice(1)) + 1) });
    return 1;
  }
  return isNumber(first) ? readNumber(first, path) : 0;
}

/** Reads the number of a round or an item that follows a workflow step. */
function readNumber(token: string, path: PathPart[]): number {
  const { kind } = path.at(-1) ?? {};
  if (kind === "step")
    push(path, token, { kind: "part", name: inspectorStrings.part(Number(token) + 1), index: Number(token) });
  // A number that follows a tool call belongs to a question about a call whose outcome is unknown.
  return kind === "step" || kind === "tool" ? 1 : 0;
}

/** Returns true for a workflow step, and for a round or an item of one, which may contain steps. */
function isStep(part: PathPart | undefined): boolean {
  return part?.kind === "step" || part?.kind === "part";
}

function push(path: PathPart[], token: string, part: Omit<PathPart, "key">): void {
  const last = path.at(-1);
  path.push({ ...part, key: last === undefined ? token : `${last.key}/${token}` });
}

function isNumber(token: string): boolean {
  return /^\d{1,9}$/.test(token);
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
