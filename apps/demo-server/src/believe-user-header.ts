import type { Principal } from "@troupe/http";
import type { RequestHandler } from "express";

/**
 * Takes whoever the header `x-demo-user` names for the user. It stands where a real service authenticates, and does not:
 * it believes what it is told, as fits a demo on one's own machine and nothing else.
 */
export const believeUserHeader: RequestHandler = (request, _response, next) => {
  const userId = request.get("x-demo-user");
  if (userId !== undefined) Object.assign(request, { principal: { userId } satisfies Principal });
  next();
};
