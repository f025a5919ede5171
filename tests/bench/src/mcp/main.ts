import { startChild, stopChild } from "../child.ts";
import { measureInProcess, toInProcessTable } from "../measure-in-process.ts";

/**
 * `pnpm --filter @troupe-internal/bench mcp`: measures a call of an MCP server's tool, and a call that is served, beside the
 * official library alone.
 */
const server = await startChild("mcp/serve-tool.ts", 1);
try {
  for (const [file, unit] of [
    [new URL("call-tool.ts", import.meta.url), "call"],
    [new URL("answer-call.ts", import.meta.url), "served call"],
  ] as const) {
    const candidates = ["library", "troupe"].map((name) => ({
      name,
      file,
      env: { BENCH_CANDIDATE: name, BENCH_SERVER_URL: `${server.url}/mcp` },
    }));
    const size = { rounds: 9, unitsPerRound: 200, warmUps: 2 };
    const costs = await measureInProcess({ candidates, baseline: "library", ...size });
    console.log(toInProcessTable(costs, unit));
  }
} finally {
  stopChild(server);
}
