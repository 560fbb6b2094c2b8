/**
 * Read a phone's live picture: multipart/x-mixed-replace, one JPEG a part.
 *
 * Read by hand, not by an <img>, because an <img> cannot say why a stream failed, how many
 * pictures came, that it has stopped, or what the head of a part tells of the picture.
 */
import { request } from '../api/client'

const HEAD_END = [13, 10, 13, 10]
const JPEG_END = [0xff, 0xd9]

function find(bytes: Uint8Array, what: number[], from = 0): number {
  const last = bytes.length - what.length
  for (let at = bytes.indexOf(what[0] as number, from); at >= 0 && at <= last; ) {
    if (what.every((byte, n) => bytes[at + n] === byte)) return at
    at = bytes.indexOf(what[0] as number, at + 1)
  }
  return -1
}

function joined(left: Uint8Array, right: Uint8Array): Uint8Array {
  const both = new Uint8Array(left.length + right.length)
  both.set(left)
  both.set(right, left.length)
  return both
}

export interface Size {
  width: number
  height: number
}

/** What the server tells of a picture; a part without such a head leaves it empty. */
export interface About {
  /** Equal numbers are the same picture, sent again as a sign of life. */
  frame: number
  /** The phone's screen when the picture was taken, in pixels; touches are points of it. */
  screen: Size | null
  /** Quarter turns, 0 to 3. */
  rotation: number
  /** Where pictures come from, and which better source failed lately. */
  source: string
  missing: string
  /** Pictures taken a second. */
  rate: number
  /** `ok`, or why the picture is a drawn notice. */
  state: string
}

export interface Part {
  about: About
  picture: Uint8Array
}

/** Read the head of a part. */
export function aboutOf(head: string): About {
  const said = (name: string) => new RegExp(`^${name}:[ \\t]*(.*?)[ \\t]*$`, 'im').exec(head)?.[1] ?? ''
  const [width, height] = said('X-Screen').split('x').map(Number)
  return {
    frame: Number(said('X-Frame')),
    screen: width && height ? { width, height } : null,
    rotation: Number(said('X-Rotation')),
    source: said('X-Source'),
    missing: said('X-Missing'),
    rate: Number(said('X-Rate')),
    state: said('X-State') || 'ok',
  }
}

/** Cuts a byte stream into pictures; hand it the bytes as they come. */
export class Parts {
  private rest: Uint8Array = new Uint8Array()

  push(chunk: Uint8Array): Part[] {
    this.rest = this.rest.length ? joined(this.rest, chunk) : chunk
    const found: Part[] = []
    for (let part = this.next(); part; part = this.next()) found.push(part)
    return found
  }

  /** The next whole part, by its Content-Length, else up to the end mark of a JPEG. */
  private next(): Part | null {
    const head = find(this.rest, HEAD_END)
    if (head < 0) return null
    const start = head + HEAD_END.length
    const headers = new TextDecoder('latin1').decode(this.rest.subarray(0, head))
    const length = /content-length:\s*(\d+)/i.exec(headers)
    const mark = length ? -1 : find(this.rest, JPEG_END, start)
    const end = length ? start + Number(length[1]) : mark < 0 ? Infinity : mark + JPEG_END.length
    if (end > this.rest.length) return null
    const picture = this.rest.slice(start, end)
    this.rest = this.rest.subarray(end)
    return { about: aboutOf(headers), picture }
  }
}

/** Read pictures until the stream ends or `signal` says stop; a refusal is an ApiError. */
export async function readPictures(
  url: string,
  signal: AbortSignal,
  show: (picture: Blob, about: About) => void,
): Promise<void> {
  const response = await request(url, { signal })
  const reader = response.body?.getReader()
  if (!reader) return
  const parts = new Parts()
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    // only the newest of the pictures that came at once is worth drawing
    const newest = parts.push(read.value).at(-1)
    if (newest) show(new Blob([newest.picture as BlobPart], { type: 'image/jpeg' }), newest.about)
  }
}
