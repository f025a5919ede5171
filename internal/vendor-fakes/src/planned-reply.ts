import type { Delivery } from "./delivery.ts";
import type { VendorFailure, VendorReply, VendorTurn } from "./dialect.ts";

/** What the vendor does with one request. */
export type PlannedReply = { delivery?: Delivery } & (
  | { turn: VendorTurn }
  /** An error before any answer, or within the stream once the turn has been said. */
  | { failure: VendorFailure; afterTurn?: VendorTurn }
  /** A recorded answer, by file name, byte for byte. */
  | { transcript: string }
  /** Anything at all: pages of HTML, broken bytes, nothing. */
  | { raw: VendorReply }
);

/** An HTML page of something that stands before the vendor. */
export const badGateway: VendorReply = {
  status: 502,
  headers: { "content-type": "text/html" },
  frames: ["<html><body><h1>502 Bad Gateway</h1></body></html>"],
};
