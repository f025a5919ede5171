import { wrongOption } from "../../base/errors/read-options.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { ToolSpec } from "../../model/model-config.ts";
import type { CompiledSchema } from "../../schema/compile-schema.ts";
import { isCitingTool } from "./citing-tool.ts";
import { checkTool, isDefinedTool, argumentSchemaOf } from "./define-tool.ts";
import { ToolCache } from "./tool-cache.ts";
import type { ToolDef } from "../run/tool.ts";

/**
 * Options of a `ToolSet`: the set of which it is a part, and caches that outlive it. `leavesOut` returns true if an
 * invalid tool is omitted; without this function an invalid tool is an error.
 */
export type ToolSetOptions = {
  readonly whole?: ToolSet;
  readonly caches?: WeakMap<ToolDef, ToolCache>;
  readonly leavesOut?: (tool: unknown, error: unknown) => boolean;
};

/**
 * The tools that a model may call in a run, found by name. Their compiled schemas and caches are created on first use.
 * Two tools with the same name are `invalid_config`.
 */
export class ToolSet {
  readonly #tools: readonly ToolDef[];
  #byName: ReadonlyMap<string, ToolDef> | undefined;
  #specs: readonly ToolSpec[] | undefined;
  #schemas: Map<ToolDef, CompiledSchema<Record<string, unknown>>> | undefined;
  #mayEndRun: boolean | undefined;
  #mustCite: boolean | undefined;
  #caches: WeakMap<ToolDef, ToolCache> | undefined;
  /** The tool set of which this set is a part. Its schemas and caches are used. */
  readonly #whole: ToolSet | undefined;

  constructor(tools: readonly ToolDef[], shared: ToolSetOptions = {}) {
    this.#whole = shared.whole;
    this.#caches = shared.caches;
    if (!Array.isArray(tools)) throw wrongOption("tools", "an array of tools", tools);
    const { leavesOut } = shared;
    const stays = (tool: ToolDef) => leavesOut === undefined || !this.#isLeftOut(tool, leavesOut);
    this.#tools = leavesOut === undefined ? tools.slice() : tools.filter(stays);
    // The loop iterates by index, because a hole in the array is a mistake too.
    for (let index = 0; index < this.#tools.length; index++) {
      if (!isDefinedTool(this.#tools[index])) this.#check(this.#tools[index]);
    }
    if (this.#tools.length > 1) refuseDuplicates(this.#tools);
  }

  /** The names of the set's tools, in order. */
  get names(): readonly string[] {
    return this.#tools.map(({ name }) => name);
  }

  /** True if the result of one of the tools ends the run. */
  get mayEndRun(): boolean {
    return (this.#mayEndRun ??= this.#tools.some(({ endsRun }) => endsRun === true));
  }

  /** True if the model must cite the passages of one of the tools. */
  get mustCite(): boolean {
    return (this.#mustCite ??= this.#tools.some(isCitingTool));
  }

  /** The tools of the set in the form that a model receives. */
  get specs(): readonly ToolSpec[] {
    this.#specs ??= Object.freeze(this.#tools.map((tool) => this.#specOf(tool)));
    return this.#specs;
  }

  /**
   * Returns the tool with this name. Returns `undefined` if there is none, even for names of inherited members such as
   * `constructor`.
   */
  find(name: string): ToolDef | undefined {
    this.#byName ??= new Map(this.#tools.map((tool) => [tool.name, tool]));
    return this.#byName.get(name);
  }

  /** Returns a set of the named tools, with the same schemas and caches. Unknown names are omitted. */
  subset(names: readonly string[]): ToolSet {
    return new ToolSet(
      this.#tools.filter(({ name }) => names.includes(name)),
      { whole: this },
    );
  }

  /** Returns a set with further tools of one run. The tools of this set keep their caches. */
  with(added: readonly ToolDef[]): ToolSet {
    return new ToolSet([...this.#tools, ...added], this.#caches === undefined ? {} : { caches: this.#caches });
  }

  /** Returns the compiled schema of the tool's arguments. */
  argumentSchemaOf(tool: ToolDef): CompiledSchema<Record<string, unknown>> {
    if (this.#whole !== undefined) return this.#whole.argumentSchemaOf(tool);
    this.#schemas ??= new Map();
    return getOrMake(this.#schemas, tool, () => argumentSchemaOf(tool));
  }

  /** Returns the cache of the tool; undefined if it has no cache. */
  cacheOf(tool: ToolDef): ToolCache | undefined {
    const { cache } = tool;
    if (cache === undefined) return undefined;
    if (this.#whole !== undefined) return this.#whole.cacheOf(tool);
    this.#caches ??= new WeakMap();
    return getOrMake(this.#caches, tool, () => new ToolCache(cache.ttl));
  }

  #isLeftOut(tool: ToolDef, leavesOut: NonNullable<ToolSetOptions["leavesOut"]>): boolean {
    if (isDefinedTool(tool)) return false;
    try {
      this.#check(tool);
      return false;
    } catch (error) {
      return leavesOut(tool, error);
    }
  }

  #check(tool: unknown): void {
    checkTool(tool);
    this.argumentSchemaOf(tool);
  }

  #specOf(tool: ToolDef): ToolSpec {
    const { name, description } = tool;
    return Object.freeze({ name, description, parameters: this.argumentSchemaOf(tool).jsonSchema });
  }
}

function refuseDuplicates(tools: readonly ToolDef[]): void {
  const names = new Set<string>();
  for (const { name } of tools) {
    if (names.has(name)) {
      throw new TroupeError("invalid_config", `Two tools are named "${name}". Rename one of them.`);
    }
    names.add(name);
  }
}

function getOrMake<Key extends object, Value>(map: WeakMap<Key, Value>, key: Key, make: () => Value): Value {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}
