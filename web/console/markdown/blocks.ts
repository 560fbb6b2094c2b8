/**
 * Turn a growing Markdown text into blocks, so that only the last, open one is parsed again.
 *
 * In Markdown a block of the top level is finished as soon as the next one has begun. Raw HTML in
 * the text stays text (`html: false`), and what markdown-it made is cleaned by DOMPurify all the
 * same. Pictures are drawn only from our own server: an address in a text that came off a phone
 * could otherwise carry words away.
 */
import DOMPurify from 'dompurify'
import MarkdownIt from 'markdown-it'

export type Block =
  | { kind: 'html'; html: string }
  | { kind: 'code'; lang: string; code: string }

const md = new MarkdownIt({ html: false, linkify: true, breaks: true, typographer: false })
type Tokens = ReturnType<(typeof md)['parse']>
type Env = Record<string, unknown>

const purify = DOMPurify(window)
const OWN_PICTURE = /^\/api\/artifacts\/[\w-]+$/

purify.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName === 'A') {
    node.setAttribute('target', '_blank')
    node.setAttribute('rel', 'noopener noreferrer')
  }
  if (node.tagName === 'IMG' && !OWN_PICTURE.test(node.getAttribute('src') ?? '')) node.remove()
})

interface Piece {
  line: number
  tokens: Tokens
}

/** Cut a token list into the blocks of the top level, each with the line it begins on. */
function pieces(tokens: Tokens): Piece[] {
  const found: Piece[] = []
  for (const token of tokens) {
    const opens = token.level === 0 && token.nesting !== -1
    if (opens) found.push({ line: token.map?.[0] ?? 0, tokens: [] })
    found.at(-1)?.tokens.push(token)
  }
  return found
}

function draw(piece: Piece, env: Env): Block {
  const first = piece.tokens[0]
  if (first && (first.type === 'fence' || first.type === 'code_block')) {
    return { kind: 'code', lang: first.info.trim().split(/\s+/)[0] ?? '', code: first.content }
  }
  return { kind: 'html', html: purify.sanitize(md.renderer.render(piece.tokens, md.options, env)) }
}

function offsetOf(text: string, line: number): number {
  let at = 0
  for (let n = 0; n < line; n += 1) at = text.indexOf('\n', at) + 1
  return at
}

/** Blocks of one text; hand it the text each time it has grown. */
export class Blocks {
  private text = ''
  private start = 0
  private closed: Block[] = []
  private env: Env = {}
  /** How many characters were parsed so far; the tests watch it. */
  parsed = 0

  update(text: string): Block[] {
    if (!text.startsWith(this.text)) this.reset()
    this.text = text
    const tail = text.slice(this.start)
    this.parsed += tail.length
    const found = pieces(md.parse(tail, this.env))
    const open = found.pop()
    if (!open) return [...this.closed]
    this.closed.push(...found.map((piece) => draw(piece, this.env)))
    this.start += offsetOf(tail, open.line)
    return [...this.closed, draw(open, this.env)]
  }

  private reset(): void {
    this.start = 0
    this.closed = []
    this.env = {}
  }
}
