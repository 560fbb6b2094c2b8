import { expect, test } from 'vitest'

import type { Envelope } from '../api/types'
import { Leader } from './leader'

function leading() {
  const replayed: [string, string, unknown[]][] = []
  const posted: unknown[] = []
  const unions: string[][] = []
  const leader = new Leader({
    post: (envelope) => posted.push(envelope.data),
    replay: (client, topic, kept) => replayed.push([client, topic, kept.map((one) => one.data)]),
    topics: (topics) => unions.push(topics),
  })
  return { leader, posted, replayed, unions }
}

const event = (topic: string, data: unknown): Envelope => ({ topic, event: 'x', data })

test('a window that comes late gets the whole run but only the newest state', () => {
  const { leader, replayed } = leading()
  leader.want('a', ['run:1', 'devices'])
  for (const n of [1, 2]) leader.receive(event('run:1', n))
  for (const n of [1, 2]) leader.receive(event('devices', n))
  replayed.length = 0

  leader.want('b', ['run:1', 'devices'])

  expect(replayed).toEqual([['b', 'run:1', [1, 2]], ['b', 'devices', [2]]])
})

test('what a stream says again after it began anew is passed on once', () => {
  const { leader, posted } = leading()
  leader.want('a', ['run:1'])

  for (const id of [1, 2, 1, 2, 3]) leader.receive({ ...event('run:1', id), id })

  expect(posted).toEqual([1, 2, 3])
})

test('a topic is dropped when the last window that wanted it has gone', () => {
  const { leader, unions } = leading()
  leader.want('a', ['devices'])
  leader.want('b', ['devices', 'run:1'])

  leader.leave('b')

  expect(unions.at(-1)).toEqual(['devices'])
})

test('a window that answers no roll call is forgotten', () => {
  const { leader, unions } = leading()
  leader.want('a', ['devices'])
  leader.want('crashed', ['run:1'])
  leader.prune()
  leader.want('a', ['devices'])

  leader.prune()

  expect(unions.at(-1)).toEqual(['devices'])
})
