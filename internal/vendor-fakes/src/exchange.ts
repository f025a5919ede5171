import type { TokenUsage } from "@troupe/core";
import type { DialectName, Refusal, Route, VendorRequest } from "./dialect.ts";

/** A request and its outcome. */
export type Exchange = {
  /** `undefined` for a dialect of the test's own, and when no dialect has such a route. */
  dialect: DialectName | undefined;
  route: Route | undefined;
  request: VendorRequest;
  /** Key of the request. */
  key: string | undefined;
  /** Set when no answer was planned, and the vendor answered 500. */
  isUnplanned?: true;
  /** Reason why the strict vendor refused the request. */
  refusal?: Refusal;
  /** Usage that the vendor billed. Only turns are billed, from their first byte on. */
  billed?: TokenUsage;
  /** `completed`: the answer was sent whole. `broken`: a planned fault ended it. `abandoned`: the client left first. */
  end: "open" | "completed" | "broken" | "abandoned";
};
