import type { Logger } from "@troupe/core";
import type { Request, Response } from "express";

/** A request with its response, its id and the logger of its failures. */
export type Exchange = {
  readonly request: Request;
  readonly response: Response;
  readonly requestId: string;
  readonly logger: Logger;
};
