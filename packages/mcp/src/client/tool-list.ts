import type { TroupeError, ToolDef } from "@troupe/core";
import { nextTurn } from "./ask-server.ts";
import { isRefusedList } from "./list-tools.ts";
import type { ListedTool } from "./list-tools.ts";
import type { ToolMaker } from "./make-tools.ts";

/** Milliseconds for which a list that was refused is not read again: to read it costs much, and each run would. */
const refusalMs = 30_000;

/** The tools of one connection. They are listed when first read, and again when they are forgotten. */
export class ToolList {
  readonly #maker: ToolMaker;
  readonly #list: () => Promise<ListedTool[]>;
  #listing: Promise<ToolDef[]> | undefined;
  #known: readonly ToolDef[] = [];
  #listed: readonly ListedTool[] = [];
  /** The number of lists that were asked for, and that of the newest one that has come. */
  #asked = 0;
  #newest = 0;
  #refusal: { readonly error: TroupeError; readonly until: number } | undefined;

  constructor(maker: ToolMaker, list: () => Promise<ListedTool[]>) {
    this.#maker = maker;
    this.#list = list;
  }

  /** The tools as they were listed last. */
  get known(): readonly ToolDef[] {
    return this.#known;
  }

  /** The tool of this name of the server, as it was listed last. */
  find(name: string): ListedTool | undefined {
    return this.#listed.find((tool) => tool.name === name);
  }

  /** Returns the tools, listing them first if they are not known. Rejects for a while with the error of a refused list. */
  async read(): Promise<ToolDef[]> {
    if (this.#refusal !== undefined && performance.now() < this.#refusal.until) throw this.#refusal.error;
    this.#listing ??= this.#listNow();
    return await this.#listing;
  }

  /** Makes the next `read` list the tools again. A list that was refused stays so for its time, unless it is wanted anew. */
  forget({ isWanted = false }: { isWanted?: boolean } = {}): void {
    this.#listing = undefined;
    if (isWanted) this.#refusal = undefined;
  }

  async #listNow(): Promise<ToolDef[]> {
    const number = (this.#asked += 1);
    try {
      const tools = await this.#list();
      await nextTurn();
      // One that was forgotten may come behind the one that was asked for since.
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
