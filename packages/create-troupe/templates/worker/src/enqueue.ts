// `{{run}} enqueue "a question"`: starts a run at a running worker, and waits for its answer. The run continues even if
// this program ends.
const worker = process.env["WORKER_URL"] || `http://127.0.0.1:${process.env["PORT"] || 3000}`;
const input = process.argv[2] ?? "What should I take along to Oslo?";

const accepted = await fetch(`${worker}/agents/helper/run`, {
  method: "POST",
  headers: { "content-type": "application/json", prefer: "respond-async" },
  body: JSON.stringify({ input }),
});
const path = accepted.headers.get("location");
if (path === null) throw new Error(`The worker did not take the run: ${await accepted.text()}`);
console.log(`The run is in the queue: ${worker}${path}`);

// The stream of events ends when the run ends.
await (await fetch(`${worker}${path}/events`)).text();
const run = (await (await fetch(`${worker}${path}`)).json()) as { status: string; output?: { text: string } };
console.log(run.output?.text ?? run.status);
