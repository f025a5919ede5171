import { wrongOption } from "../errors/read-options.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import type { ToolSpec } from "../model/tool-spec.ts";
import type { CompiledSchema } from "../schema/compile-schema.ts";
import { checkTool } from "./check-tool.ts";
import { isDefined, schemaOf } from "./define-tool.ts";
import { ToolCache } from "./tool-cache.ts";
import type { ToolDef } from "./tool.ts";

/** The tools that a model may call, and what is kept for them between calls. What can wait is done on first use. */
export class ToolSet {
  readonly #tools: readonly ToolDef[];
  #byName: ReadonlyMap<string, ToolDef> | undefined;
  #specs: readonly ToolSpec[] | undefined;
  #schemas: Map<ToolDef, CompiledSchema<Record<string, unknown>>> | undefined;
  #caches: Map<ToolDef, ToolCache> | undefined;

  constructor(tools: readonly ToolDef[]) {
    if (!Array.isArray(tools)) throw wrongOption("tools", "a list of tools", tools);
    // Without holes: an entry that is missing is a mistake like any other.
    this.#tools = tools.slice();
    for (let index = 0; index < tools.length; index++) if (!isDefined(tools[index])) checkTool(tools[index]);
    if (tools.length > 1) refuseDuplicates(this.#tools);
  }

  /** The names of the tools, in their order. */
  get names(): readonly string[] {
    return this.#tools.map(({ name }) => name);
  }

  /** What a model is told of the tools. */
  get specs(): readonly ToolSpec[] {
    this.#specs ??= Object.freeze(this.#tools.map((tool) => this.#specOf(tool)));
    return this.#specs;
  }

  /** The tool of that name. Names that every object has, like `constructor`, find nothing. */
  find(name: string): ToolDef | undefined {
    this.#byName ??= new Map(this.#tools.map((tool) => [tool.name, tool]));
    return this.#byName.get(name);
  }

  /** The schema of the tool's arguments, made ready once. */
  schemaOf(tool: ToolDef): CompiledSchema<Record<string, unknown>> {
    this.#schemas ??= new Map();
    return getOrMake(this.#schemas, tool, () => schemaOf(tool));
  }

  /** What the tool has answered lately, if its answers may be kept. */
  cacheOf(tool: ToolDef): ToolCache | undefined {
    const { cache } = tool;
    if (cache === undefined) return undefined;
    this.#caches ??= new Map();
    return getOrMake(this.#caches, tool, () => new ToolCache(cache.ttl));
  }

  #specOf(tool: ToolDef): ToolSpec {
    const { name, description } = tool;
    return Object.freeze({ name, description, parameters: this.schemaOf(tool).jsonSchema });
  }
}

function refuseDuplicates(tools: readonly ToolDef[]): void {
  const names = new Set<string>();
  for (const { name } of tools) {
    if (names.has(name)) {
      throw new TroupeError("invalid_config", `There are two tools named "${name}": give one of them another name.`);
    }
    names.add(name);
  }
}

function getOrMake<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}
