import type { Place } from "./blocks.ts";
import type { Served } from "./service.ts";

/** The execution of a block of a page, which is found by its place. */
export interface Case extends Place {
  /** Executes the text of the block beside the service, and expects what the page promises. */
  readonly run: (text: string, served: Served) => Promise<void>;
}
