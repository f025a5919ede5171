import type { Curl } from "./curl.ts";
import { expect } from "./tour.ts";
import type { Tour } from "./tour.ts";

/** Makes sure that the tour has visited every path that the OpenAPI document lists. */
export async function visitPaths(tour: Tour, curl: Curl): Promise<void> {
  tour.begin("The OpenAPI document");
  await tour.step("all of its paths were visited", async () => await everyPath(curl));
}

async function everyPath(curl: Curl): Promise<string> {
  const { paths } = JSON.parse((await curl.send("GET /docs/spec.json")).text) as { paths: Record<string, object> };
  const operations = Object.entries(paths).flatMap(([path, methods]) => {
    const known = Object.keys(methods).filter((method) => /^(?:get|post|put|patch|delete)$/.test(method));
    return known.map((method) => `${method.toUpperCase()} ${path}`);
  });
  const missing = operations.filter((operation) => {
    const pattern = new RegExp(`^${operation.replace(/\{\w+\}/g, "[^/]+")}$`);
    return !curl.sent.some((sent) => pattern.test(sent));
  });
  expect(missing.length === 0, `not visited: ${missing.join(", ")}`);
  return `${operations.length} operations`;
}
