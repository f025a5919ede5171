import { toTroupeError } from "../errors/to-troupe-error.ts";
import { wrongOption } from "../errors/read-options.ts";
import type { RunContext } from "../run/run-context.ts";
import type { ToolCache } from "../tool/tool-cache.ts";
import type { ToolDef, ToolSource } from "../tool/tool.ts";
import { isDefinedTool } from "../tool/define-tool.ts";
import { ToolSet } from "../tool/tool-set.ts";
import { readProperty } from "../util/read-property.ts";

/** Tools, and sources of tools. */
export type ToolList = readonly (ToolDef | ToolSource)[];

/** A function that returns the tools of one run, by its context. */
export type MakeTools = (context: RunContext) => ToolList | Promise<ToolList>;

/**
 * The tools of an agent: those given to it, and those of its tool sources, which are asked for them when a run begins
 * and are closed with the agent; or those that a function returns for each run.
 */
export class AgentTools {
  readonly #make: MakeTools | undefined;
  readonly #given: ToolList;
  readonly #sources: readonly ToolSource[];
  #known: readonly ToolDef[];
  #set: ToolSet;
  #loaded: readonly LoadedTool[] = [];
  /** By the tools themselves: runs of users with different tools do not take each other's caches away. */
  #caches = new WeakMap<ToolDef, ToolCache>();

  constructor(tools: ToolList | MakeTools = []) {
    const isMade = typeof tools === "function";
    this.#make = isMade ? tools : undefined;
    this.#given = isMade ? [] : tools;
    this.#sources = this.#given.filter(isSource);
    this.#known = this.#given.filter(isTool);
    this.#set = new ToolSet(this.#known);
  }

  /**
   * The tools that are known for every run of the agent. Those of a source are known once a run has loaded them, unless its
   * `getTools` takes the context; those of a function never are.
   */
  get known(): readonly ToolDef[] {
    return this.#known;
  }

  /** Loads the tools of a run. Tools that are loaded again keep their caches. */
  load(context: RunContext): ToolSet | Promise<ToolSet> {
    if (this.#make !== undefined) return this.#loadMade(this.#make, context);
    return this.#sources.length === 0 ? this.#set : this.#loadGiven(context);
  }

  /** Closes all sources, and then throws the first failure. */
  async close(): Promise<void> {
    const closed = await Promise.allSettled(this.#sources.map(async (source) => await source.close?.()));
    const failed = closed.find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  async #loadMade(make: MakeTools, context: RunContext): Promise<ToolSet> {
    const given = await callMakeTools(make, context);
    return this.#setOf((await loadAll(given, context)).flat());
  }

  async #loadGiven(context: RunContext): Promise<ToolSet> {
    const lists = await loadAll(this.#given, context);
    this.#known = lists.filter((_, index) => !dependsOnContext(this.#given[index])).flat();
    return this.#setOf(lists.flat());
  }

  /** Keeps the set as long as the tools are the same. A tool that was changed in place loses its cached results. */
  #setOf(tools: readonly ToolDef[]): ToolSet {
    const before = this.#loaded;
    if (before.some(hasChanged)) this.#caches = new WeakMap();
    else if (tools.length === before.length && tools.every((tool, index) => tool === before[index]?.tool))
      return this.#set;
    this.#set = new ToolSet(tools, { caches: this.#caches });
    this.#loaded = tools.map((tool) => ({ tool, copy: { ...tool } }));
    return this.#set;
  }
}

/** A tool of the set, and a copy of it as it was when the set was made. */
type LoadedTool = { readonly tool: ToolDef; readonly copy: ToolDef };

function hasChanged({ tool, copy }: LoadedTool): boolean {
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

async function loadAll(given: ToolList, context: RunContext): Promise<(readonly ToolDef[])[]> {
  return await Promise.all(given.map(async (tool, index) => await toolsOf(tool, { index, context })));
}

async function toolsOf(
  tool: ToolDef | ToolSource,
  { index, context }: { index: number; context: RunContext },
): Promise<readonly ToolDef[]> {
  if (!isSource(tool)) return [tool];
  try {
    return await tool.getTools(context);
  } catch (error) {
    const name = readProperty(tool, "name");
    const place = typeof name === "string" ? JSON.stringify(name) : `tools[${index}]`;
    throw toTroupeError(error, undefined, `The tool source ${place}`);
  }
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
 * is checked in each run. Another value, a wrong tool, or two tools of one name are `invalid_config`.
 */
export function checkAgentTools(value: unknown, name: string): ToolList | MakeTools {
  if (typeof value === "function") return value as MakeTools;
  if (!Array.isArray(value)) {
    throw wrongOption(name, "an array of tools and tool sources, or a function that returns one", value);
  }
  const tools = value as ToolList;
  // A tool of defineTool has been checked.
  if (tools.length !== 1 || !isDefinedTool(tools[0])) void new ToolSet(tools.filter(isTool));
  return tools;
}
