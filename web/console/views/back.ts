/** Where to go after the login: the address asked for, if it is one of this site. */
export function backTo(search: string): string {
  const next = new URLSearchParams(search).get('next') ?? '/'
  const url = new URL(next, location.origin)
  return url.origin === location.origin && next.startsWith('/') ? url.pathname + url.search : '/'
}
