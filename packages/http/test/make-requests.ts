import { sample } from "fast-check";
import type { OpenApiSpec } from "../src/openapi/open-api-spec.ts";
import { rightRequest, wrongRequest } from "./described-requests.ts";
import type { Made, Target } from "./described-requests.ts";
import { provoke } from "./provoked-requests.ts";

/** How many requests, how often each status is provoked, and how many of all are right, from 0 to 1. */
type Amounts = { total: number; least: number; rightShare: number };

/** So many more are provoked: some find that their session has become somebody else's. */
const spare = 1.5;

/** Requests out of a description, for all that it says: always the same ones. */
export function makeRequests(
  spec: OpenApiSpec,
  targets: readonly Target[],
  { total, least, rightShare }: Amounts,
): Made[] {
  const numRuns = Math.ceil(least * spare);
  const provoked = targets.flatMap((target) =>
    statusesOf(target).flatMap((status) =>
      sample(rightRequest(spec, target), { numRuns, seed: status }).map((made) => provoke(made, target, status)),
    ),
  );
  const rightLeft = total * rightShare - provoked.filter(({ isRight }) => isRight).length;
  const right = Math.ceil(rightLeft / targets.length);
  const wrong = Math.ceil((total - provoked.length) / targets.length) - right;
  const others = targets.flatMap((target) => [
    ...sample(rightRequest(spec, target), { numRuns: right, seed: 1 }),
    ...sample(wrongRequest(spec, target), { numRuns: wrong, seed: 2 }),
  ]);
  return [...provoked, ...others];
}

/** The statuses that the description has for a target. */
export function statusesOf({ operation }: Target): number[] {
  return Object.keys(operation.responses).map(Number).filter(Number.isFinite);
}
