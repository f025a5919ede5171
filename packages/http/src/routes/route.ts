import type { Exchange } from "../exchange.ts";

/** Answers a request. What it rejects with is sent as an error, unless an answer has begun. */
export type Handle = (exchange: Exchange) => void | Promise<void>;

/** A path and what can be done there. */
export type Route = {
  readonly path: string;
  readonly get?: Handle;
  readonly post?: Handle;
  readonly delete?: Handle;
};
