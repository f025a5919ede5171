import type { Runnable } from "../run/runnable.ts";
import { encodeKey } from "../storage/encode-key.ts";

/** Somebody in a team. */
export type Member = {
  readonly runnable: Runnable;
  readonly name: string;
  /** The tool that a delegation to it is a call of. */
  readonly toolName: string;
  /** What it is called in the id of its sessions. */
  readonly sessionName: string;
};

/** How long the name of a tool may be. */
const longestTool = 64;
/** A session's id has room for several teams within teams. */
const longestSession = 64;

/** Takes the runnables as members, each with names that fit where they are used and are those of no other. */
export function toMembers(runnables: readonly Runnable[]): Member[] {
  const toolNames = new Set<string>();
  return runnables.map((runnable) => {
    const { name } = runnable;
    const toolName = toolNameOf(name, toolNames);
    toolNames.add(toolName);
    return { runnable, name, toolName, sessionName: sessionNameOf(name) };
  });
}

function toolNameOf(name: string, taken: ReadonlySet<string>): string {
  const wanted = `delegate_to_${name.replace(/[^A-Za-z0-9_-]/gu, "_")}`;
  return wanted.length <= longestTool && !taken.has(wanted) ? wanted : cut(wanted, longestTool, name);
}

function sessionNameOf(name: string): string {
  return encodeKey(name).length <= longestSession ? name : cut(name.replace(/[^\w-]/gu, "_"), longestSession, name);
}

/** The beginning of the text, and behind it what tells it from all others. */
function cut(text: string, longest: number, name: string): string {
  const mark = `_${fingerprint(name)}`;
  return text.slice(0, longest - mark.length) + mark;
}

function fingerprint(name: string): string {
  // Loaded when it is needed: most names are short.
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha256").update(name).digest("hex").slice(0, 12);
}
