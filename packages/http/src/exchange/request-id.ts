import { createId } from "@troupe/core/kit";
import type { Request, Response } from "express";

const header = "X-Request-Id";
const clientForm = /^[\w.:-]{1,128}$/;

/**
 * Returns the id by which a request is found in logs, and sets it as `X-Request-Id` of the response: the id that the
 * host already set there, else the client's if it has 1 to 128 allowed characters, else a new one.
 */
export function requestIdOf(request: Request, response: Response): string {
  const given = response.getHeader(header);
  if (typeof given === "string") return given;
  const sent = request.headers["x-request-id"];
  const id = typeof sent === "string" && clientForm.test(sent) ? sent : createId();
  if (!response.headersSent) response.setHeader(header, id);
  return id;
}
