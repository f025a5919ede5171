import { request } from "node:http";

/** Serves the app, asks it twice over HTTP, and reports the times since the start of the process. In plain JavaScript: types would have to be stripped at each start. */
export function askTwice(app, body = {}) {
  const server = app.listen(0, "127.0.0.1", async () => {
    const { port } = server.address();
    await ask(port, body);
    const firstMs = performance.timeOrigin + performance.now() - Number(process.env.BENCH_STARTED_AT);
    const { user, system } = process.cpuUsage();
    const before = performance.now();
    await ask(port, body);
    const secondMs = performance.now() - before;
    const residentMb = process.memoryUsage.rss() / 1e6;
    console.log(JSON.stringify({ firstMs, secondMs, cpuMs: (user + system) / 1000, residentMb }));
    process.exit();
  });
}

function ask(port, body) {
  return new Promise((resolve, reject) => {
    const sent = request(
      { port, path: "/agents/a/run", method: "POST", headers: { "content-type": "application/json" } },
      (response) => {
        response.resume();
        response.on("end", () =>
          response.statusCode === 200 ? resolve() : reject(new Error(`${response.statusCode}`)),
        );
      },
    );
    sent.on("error", reject).end(JSON.stringify({ input: "Tell me something.", ...body }));
  });
}
