import type { TokenUsage } from "@troupe/core";
import type { DialectName, Refusal, Route, VendorRequest } from "./dialect.ts";

/** One request and what became of it. */
export type Exchange = {
  /** `undefined` when no vendor knows such a request. */
  dialect: DialectName | undefined;
  route: Route | undefined;
  request: VendorRequest;
  /** The key that came with it. */
  key: string | undefined;
  /** Whether nobody had planned an answer, so that the vendor failed. */
  isUnplanned?: true;
  /** Why the strict vendor refused it. */
  refusal?: Refusal;
  /** What the answer cost; only answers of turns cost something, and they do from their first byte. */
  billed?: TokenUsage;
  /** `completed`: the answer was sent whole. `broken`: a planned fault ended it. `left`: the client went first. */
  end: "open" | "completed" | "broken" | "left";
};
