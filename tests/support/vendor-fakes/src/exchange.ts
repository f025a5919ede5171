import type { TokenUsage } from "@troupe/core";
import type { DialectName, Refusal, Route, VendorRequest } from "./dialect.ts";

/** A request and its outcome. */
export type Exchange = {
  /** `undefined` for a dialect of the test's own, and if no dialect has the route. */
  dialect: DialectName | undefined;
  route: Route | undefined;
  request: VendorRequest;
  /** Key of the request. */
  key: string | undefined;
  /** True if no answer was planned, and the vendor answered 500. */
  isUnplanned?: true;
  /** Reason why the strict vendor refused the request. */
  refusal?: Refusal;
  /** The usage that the vendor billed. Only chat requests are billed, from the first byte of their answer on. */
  billed?: TokenUsage;
  /** `completed`: the answer was sent whole. `broken`: a planned fault ended it. `abandoned`: the client left first. */
  end: "open" | "completed" | "broken" | "abandoned";
};
