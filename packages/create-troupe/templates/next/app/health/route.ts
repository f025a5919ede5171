/** Answers the probes of a platform. */
export function GET(): Response {
  return Response.json({ status: "ok" });
}
