import { closeTogether } from "../../base/async/close-in-order.ts";
import { toTroupeError } from "../../base/errors/to-troupe-error.ts";
import { wrongOption } from "../../base/errors/read-options.ts";
import type { OptionCheck } from "../../base/errors/read-options.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { runOfContext } from "../run/derive-context.ts";
import type { RunContext } from "../run/run-context.ts";
import type { ToolCache } from "../tool/tool-cache.ts";
import type { ToolDef, ToolSource } from "../run/tool.ts";
import { isDefinedTool } from "../tool/define-tool.ts";
import { ToolSet } from "../tool/tool-set.ts";
import { readProperty } from "../../base/util/read-property.ts";

/** The tools and tool sources of an agent or of a run. */
export type ToolList = readonly (ToolDef | ToolSource)[];

/** A function that receives a run's context and returns the tools of that run. */
export type MakeTools = (context: RunContext) => ToolList | Promise<ToolList>;

/**
 * The tools of an agent: tools given directly, and tools of sources, which are loaded when a run begins; or else a
 * function that returns the tools of each run. Closing the agent closes its sources.
 */
export class AgentTools {
  readonly #make: MakeTools | undefined;
  readonly #given: ToolList;
  readonly #sources: readonly ToolSource[];
  #known: readonly ToolDef[];
  #set: ToolSet;
  #loaded: readonly LoadedTool[] = [];
  #leftOut: readonly LeftOut[] = [];
  /** Result caches by tool object, so that runs of users with different tools do not evict each other's caches. */
  #caches = new WeakMap<ToolDef, ToolCache>();

  constructor(tools: ToolList | MakeTools = []) {
    const isMade = typeof tools === "function";
    this.#make = isMade ? tools : undefined;
    this.#given = isMade ? [] : tools;
    this.#sources = this.#given.filter(isSource);
    this.#known = this.#given.filter(isTool);
    this.#set = new ToolSet(this.#known, { caches: this.#caches });
  }

  /**
   * The tools that are known for every run of the agent. Tools of a source are known once a run has loaded them, unless
   * the source's `getTools` takes the context. Tools returned by a function are never known.
   */
  get known(): readonly ToolDef[] {
    return this.#known;
  }

  /**
   * Loads the tools of a run: the agent's tools, or the tools that the run was given instead. Tools that are loaded
   * again keep their cached results. An invalid tool of a source is omitted, with a warning of the run.
   */
  load(context: RunContext, ofRun?: ToolList): ToolSet | Promise<ToolSet> {
    if (ofRun !== undefined) return this.#loadOfRun(ofRun, context);
    if (this.#make !== undefined) return this.#loadMade(this.#make, context);
    return this.#sources.length === 0 ? this.#set : this.#loadGiven(context);
  }

  /** Closes all tool sources of the agent, then throws the failure of the first source that failed. */
  async close(): Promise<void> {
    await closeTogether(...this.#sources.map((source) => () => source.close?.()));
  }

  /** Loads the tools given to one run. The agent's own tool set stays unchanged for the next run. */
  async #loadOfRun(given: ToolList, context: RunContext): Promise<ToolSet> {
    const loaded = await loadAll(given, context);
    const { set, leftOut } = makeSet(loaded, this.#caches);
    warnOfTools(context, leftOut);
    return set;
  }

  async #loadMade(make: MakeTools, context: RunContext): Promise<ToolSet> {
    const given = await callMakeTools(make, context);
    return this.#setOf(await loadAll(given, context), context);
  }

  async #loadGiven(context: RunContext): Promise<ToolSet> {
    const lists = await loadAll(this.#given, context);
    const set = this.#setOf(lists, context);
    const known = lists.filter((_, index) => !dependsOnContext(this.#given[index])).flatMap(({ tools }) => tools);
    this.#known = this.#leftOut.length === 0 ? known : known.filter((tool) => !this.#leftOut.some(isOf(tool)));
    return set;
  }

  /**
   * Returns the set of an agent's loaded tools. If the tools are the same as in the previous run, this is the same
   * object, so that cached results are kept. If any tool was changed in place, all tools lose their cached results.
   */
  #setOf(lists: readonly LoadedList[], context: RunContext): ToolSet {
    const tools = lists.flatMap((list) => list.tools);
    const before = this.#loaded;
    const isChanged = before.some(hasChanged);
    if (isChanged) this.#caches = new WeakMap();
    if (isChanged || tools.length !== before.length || tools.some((tool, index) => tool !== before[index]?.tool)) {
      const made = makeSet(lists, this.#caches);
      this.#set = made.set;
      this.#leftOut = made.leftOut;
      this.#loaded = tools.map((tool: ToolDef | null) => ({ tool, copy: { ...tool } }));
    }
    warnOfTools(context, this.#leftOut);
    return this.#set;
  }
}

/** The tools of one tool source, or a single tool that was given directly. */
type LoadedList = { readonly tools: readonly ToolDef[]; readonly fromSource: boolean };

/** An invalid tool of a tool source, and the reason why it was omitted from the tool set. */
type LeftOut = { readonly tool: unknown; readonly error: unknown };

function isOf(tool: unknown): (leftOut: LeftOut) => boolean {
  return (leftOut) => leftOut.tool === tool;
}

/** Makes the set of all tools except the invalid tools of sources, which the agent's author cannot correct. */
function makeSet(
  lists: readonly LoadedList[],
  caches: WeakMap<ToolDef, ToolCache>,
): { set: ToolSet; leftOut: readonly LeftOut[] } {
  const leftOut: LeftOut[] = [];
  const ofSources = new Set<unknown>(lists.flatMap(({ tools, fromSource }) => (fromSource ? tools : [])));
  const leavesOut = (tool: unknown, error: unknown): boolean => {
    if (ofSources.has(tool)) leftOut.push({ tool, error });
    return ofSources.has(tool);
  };
  const tools = lists.flatMap((list) => list.tools);
  return { set: new ToolSet(tools, ofSources.size === 0 ? { caches } : { caches, leavesOut }), leftOut };
}

function warnOfTools(context: RunContext, leftOut: readonly LeftOut[]): void {
  for (const { tool, error } of leftOut) {
    const name = readProperty(tool, "name");
    const tells = typeof name === "string" ? { toolName: name.slice(0, 64) } : {};
    const message = "A tool of a tool source is wrong, and was left out of the run.";
    runOfContext(context)?.warn("tool_left_out", message, { ...tells, error });
  }
}

/**
 * A tool of an agent's tool set, and a copy of the tool in the state that it had when the set was made, by which a
 * later change of the tool is found.
 */
type LoadedTool = { readonly tool: ToolDef | null | undefined; readonly copy: Partial<ToolDef> };

function hasChanged({ tool, copy }: LoadedTool): boolean {
  // A tool source may return anything as a tool, also null.
  if (tool === null || tool === undefined) return false;
  const fields = Object.keys(tool) as (keyof ToolDef)[];
  return fields.length !== Object.keys(copy).length || fields.some((field) => tool[field] !== copy[field]);
}

async function callMakeTools(make: MakeTools, context: RunContext): Promise<ToolList> {
  let given: unknown;
  try {
    given = await make(context);
  } catch (error) {
    throw toTroupeError(error, context.signal, "The function tools");
  }
  if (Array.isArray(given)) return given as ToolList;
  throw wrongOption("The result of the function tools", "an array of tools and tool sources", given);
}

async function loadAll(given: ToolList, context: RunContext): Promise<LoadedList[]> {
  return await Promise.all(
    given.map(async (tool, index) => {
      const tools = await toolsOf(tool, { index, context });
      return isSource(tool) ? { tools: tools.toSorted(byName), fromSource: true } : { tools, fromSource: false };
    }),
  );
}

/**
 * Sorts tools by name. A vendor's prompt cache only matches tools in the same order, and a source may return them in
 * any order.
 */
function byName(one: unknown, other: unknown): number {
  const [first, second] = [nameOf(one), nameOf(other)];
  return first < second ? -1 : Number(first > second);
}

/** Returns a tool's name, or an empty string if it has none, because a tool source may return anything. */
function nameOf(tool: unknown): string {
  const name = readProperty(tool, "name");
  return typeof name === "string" ? name : "";
}

async function toolsOf(
  tool: ToolDef | ToolSource,
  { index, context }: { index: number; context: RunContext },
): Promise<readonly ToolDef[]> {
  if (!isSource(tool)) return [tool];
  const name = readProperty(tool, "name");
  const place = `The tool source ${typeof name === "string" ? JSON.stringify(name) : `tools[${index}]`}`;
  let given: unknown;
  try {
    given = await tool.getTools(context);
  } catch (error) {
    throw toTroupeError(error, undefined, place);
  }
  if (Array.isArray(given)) return given as ToolDef[];
  throw wrongOption(`What ${place.replace("The", "the")} returns`, "an array of tools", given);
}

function dependsOnContext(tool: ToolDef | ToolSource | undefined): boolean {
  return tool !== undefined && isSource(tool) && tool.getTools.length > 0;
}

function isTool(tool: ToolDef | ToolSource): tool is ToolDef {
  return !isSource(tool);
}

function isSource(tool: ToolDef | ToolSource): tool is ToolSource {
  return typeof tool === "object" && tool !== null && "getTools" in tool;
}

/**
 * Checks the option `tools` of an agent and returns it: an array of tools and tool sources, or a function, whose result
 * is checked in each run. Throws `invalid_config` for any other value, for an invalid tool, and for two tools with the
 * same name.
 */
export function checkAgentTools(value: unknown, name: string): ToolList | MakeTools {
  if (typeof value === "function") return value as MakeTools;
  if (!Array.isArray(value)) {
    throw wrongOption(name, "an array of tools and tool sources, or a function that returns one", value);
  }
  const tools = value as ToolList;
  // A tool made by `defineTool` has been checked already.
  if (tools.length !== 1 || !isDefinedTool(tools[0])) void new ToolSet(tools.filter(isTool));
  return tools;
}

/** Option check for `tools` of one run: an array of tools and tool sources. */
export const runToolsOption: OptionCheck<ToolList> = (value, name, where) => {
  if (!Array.isArray(value)) throw wrongOption({ ...where, name }, "an array of tools and tool sources", value);
  try {
    return checkAgentTools(value, name) as ToolList;
  } catch (error) {
    throw new TroupeError(where.code ?? "invalid_config", toTroupeError(error).message);
  }
};
