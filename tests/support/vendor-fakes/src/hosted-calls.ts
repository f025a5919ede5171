/** A page that a search of a vendor finds. */
export type HostedPage = { url: string; title: string };

/** A call of one of the vendor's own tools in an answer, and its result: a search of the web, or code that it runs. */
export type HostedCall =
  | { tool: "web_search"; query: string; pages: readonly HostedPage[] }
  | { tool: "code"; code: string; output: string };

/** Returns the pages that the text of an answer cites: the first that each of its searches found. */
export function citedPages(hosted: readonly HostedCall[]): HostedPage[] {
  return hosted.flatMap((call) => (call.tool === "web_search" ? call.pages.slice(0, 1) : []));
}
