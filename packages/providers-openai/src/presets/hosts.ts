/** Returns a function that recognises a host and its subdomains. */
export function endsWithHost(...names: readonly string[]): (host: string) => boolean {
  return (host) => names.some((name) => host === name || host.endsWith(`.${name}`));
}
