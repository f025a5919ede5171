/** Returns the schemas of the API's requests and answers. */
export function apiSchemas(): Record<string, object> {
  return {};
}
