import { toTroupeError } from "../errors/to-troupe-error.ts";
import { wrongOption } from "../errors/read-options.ts";
import type { ToolDef, ToolSource } from "../tool/tool.ts";
import { isDefinedTool } from "../tool/define-tool.ts";
import { ToolSet } from "../tool/tool-set.ts";
import { readProperty } from "../util/read-property.ts";

/**
 * The tools of an agent: those given to it, and those of its tool sources, which are asked for them when a run begins
 * and are closed with the agent.
 */
export class AgentTools {
  readonly #given: readonly (ToolDef | ToolSource)[];
  readonly #sources: readonly ToolSource[];
  #tools: readonly ToolDef[];
  #set: ToolSet;

  constructor(given: readonly (ToolDef | ToolSource)[] = []) {
    this.#given = given;
    this.#sources = given.filter(isSource);
    this.#tools = given.filter(isTool);
    this.#set = new ToolSet(this.#tools);
  }

  /** The tools that are known. Those of a source are known once a run has loaded them. */
  get known(): readonly ToolDef[] {
    return this.#tools;
  }

  /** Loads the tools of a run. The set with its caches is kept as long as the sources return the same tools. */
  load(): ToolSet | Promise<ToolSet> {
    return this.#sources.length === 0 ? this.#set : this.#loadSources();
  }

  /** Closes all sources, and then throws the first failure. */
  async close(): Promise<void> {
    const closed = await Promise.allSettled(this.#sources.map(async (source) => await source.close?.()));
    const failed = closed.find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  async #loadSources(): Promise<ToolSet> {
    const lists = await Promise.all(this.#given.map(async (tool, index) => await toolsOf(tool, index)));
    const tools = lists.flat();
    const isSame = tools.length === this.#tools.length && tools.every((tool, index) => tool === this.#tools[index]);
    if (!isSame) {
      this.#set = new ToolSet(tools);
      this.#tools = tools;
    }
    return this.#set;
  }
}

async function toolsOf(tool: ToolDef | ToolSource, index: number): Promise<readonly ToolDef[]> {
  if (!isSource(tool)) return [tool];
  try {
    return await tool.getTools();
  } catch (error) {
    const name = readProperty(tool, "name");
    const place = typeof name === "string" ? JSON.stringify(name) : `tools[${index}]`;
    throw toTroupeError(error, undefined, `The tool source ${place}`);
  }
}

function isTool(tool: ToolDef | ToolSource): tool is ToolDef {
  return !isSource(tool);
}

function isSource(tool: ToolDef | ToolSource): tool is ToolSource {
  return typeof tool === "object" && tool !== null && "getTools" in tool;
}

/**
 * Checks the option `tools` of an agent and returns it: an array of tools and tool sources. A value that is no array, a
 * wrong tool, or two tools of one name are `invalid_config`.
 */
export function checkAgentTools(value: unknown, name: string): readonly (ToolDef | ToolSource)[] {
  if (!Array.isArray(value)) throw wrongOption(name, "an array of tools and tool sources", value);
  const tools = value as readonly (ToolDef | ToolSource)[];
  // A tool of defineTool has been checked.
  if (tools.length !== 1 || !isDefinedTool(tools[0])) void new ToolSet(tools.filter(isTool));
  return tools;
}
