import type { TroupeError, ToolDef } from "@troupe/core";
import { nextTurn } from "./ask-server.ts";
import { isRefusedList } from "./list-tools.ts";
import type { ListedTool } from "./list-tools.ts";
import type { ToolMaker } from "./make-tools.ts";

/**
 * Milliseconds for which a refused list of tools is not read again. Reading it is expensive, and every run would do so.
 */
const refusalMs = 30_000;

/** The tools of one connection to an MCP server. They are listed on first use, and again after `forget`. */
export class ToolList {
  readonly #maker: ToolMaker;
  readonly #list: () => Promise<ListedTool[]>;
  #listing: Promise<ToolDef[]> | undefined;
  #known: readonly ToolDef[] = [];
  #listed: readonly ListedTool[] = [];
  /**
   * Lists of tools are numbered in the order of their requests: the number of the last requested list, and of the
   * newest list that has arrived.
   */
  #asked = 0;
  #newest = 0;
  #refusal: { readonly error: TroupeError; readonly until: number } | undefined;

  constructor(maker: ToolMaker, list: () => Promise<ListedTool[]>) {
    this.#maker = maker;
    this.#list = list;
  }

  /** The server's tools in the last listing. */
  get known(): readonly ToolDef[] {
    return this.#known;
  }

  /** Returns the server's tool with this name from the last listing, or undefined. */
  find(name: string): ListedTool | undefined {
    return this.#listed.find((tool) => tool.name === name);
  }

  /**
   * Returns the server's tools. Lists them first if they are unknown or forgotten. If a list was refused, rejects with
   * the same error for a while.
   */
  async read(): Promise<ToolDef[]> {
    if (this.#refusal !== undefined && performance.now() < this.#refusal.until) throw this.#refusal.error;
    this.#listing ??= this.#listNow();
    return await this.#listing;
  }

  /**
   * Makes the next `read` list the tools again. A refused list is not read again before its time is over, unless
   * `isWanted` is true.
   */
  forget({ isWanted = false }: { isWanted?: boolean } = {}): void {
    this.#listing = undefined;
    if (isWanted) this.#refusal = undefined;
  }

  async #listNow(): Promise<ToolDef[]> {
    const number = (this.#asked += 1);
    try {
      const tools = await this.#list();
      await nextTurn();
      // An outdated list of tools may arrive after a newer list.
      if (number > this.#newest) {
        this.#newest = number;
        this.#known = this.#maker.make(tools);
        this.#listed = tools;
      }
      return [...this.#known];
    } catch (error) {
      if (number < this.#asked) throw error;
      this.forget();
      if (isRefusedList(error)) this.#refusal = { error, until: performance.now() + refusalMs };
      throw error;
    }
  }
}
