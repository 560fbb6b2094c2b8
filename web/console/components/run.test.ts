import { mount } from '@vue/test-utils'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { reactive } from 'vue'

import { lang } from '../i18n'
import { page } from '../stores/page'
import { apply, groups, newRun, steps, storedRun, type RunView } from '../stores/run_view'
import { session } from '../stores/session'
import { allowDialogs, serve, settled } from '../testing'
import PictureDialog from './PictureDialog.vue'
import QuestionCard from './QuestionCard.vue'
import RunBlock from './RunBlock.vue'
import RunTrail from './RunTrail.vue'
import StepList from './StepList.vue'
import ThinkingBlock from './ThinkingBlock.vue'

beforeEach(() => {
  lang.value = 'en'
  session.role = 'operator'
})

afterEach(() => vi.unstubAllGlobals())

function show(view: RunView) {
  return mount(RunBlock, { props: { view, mayRepeat: true } })
}

test('thoughts are open while they stream and closed at the first other thing', async () => {
  const block = mount(ThinkingBlock, { props: { text: 'hmm', streaming: true } })

  const before = block.get('details').attributes('open')
  await block.setProps({ streaming: false })

  expect(before).toBeDefined()
  expect(block.get('details').attributes('open')).toBeUndefined()
  expect(block.get('summary').text()).toContain('3 characters')
})

test('thoughts that were opened by hand stay open', async () => {
  const block = mount(ThinkingBlock, { props: { text: 'hmm', streaming: true } })

  await block.get('summary').trigger('click')
  await block.get('summary').trigger('click')
  await block.setProps({ streaming: false })

  expect(block.get('details').attributes('open')).toBeDefined()
})

test('who may only look reads a question and that it is for others', () => {
  session.role = 'viewer'
  const options = [{ value: 'approve', label: 'Allow' }]
  const asked = { kind: 'question' as const, kindOf: 'approval' as const, id: 'q1', title: 'May I?', question: 'Pay?' }
  const question = { ...asked, options, until: null, answer: null }

  const card = mount(QuestionCard, { props: { runId: 'r1', question, open: true } })

  expect(card.findAll('button')).toEqual([])
  expect(card.text()).toContain('An operator has to answer this')
})

test('a question that a restart closed says so', () => {
  const options = [{ value: 'approve', label: 'Allow' }]
  const asked = { kind: 'question' as const, kindOf: 'approval' as const, id: 'q1', title: 'May I?', question: 'Pay?' }
  const question = { ...asked, options, until: null, answer: null }

  const closed = ['interrupted', 'run_timeout'].map((failed) =>
    mount(QuestionCard, { props: { runId: 'r1', question, open: false, failed } }).text(),
  )

  expect(closed[0]).toContain('The console was restarted')
  expect(closed[1]).toContain('The run has ended')
})

test('a failed step says why, and its picture can be enlarged', async () => {
  const step = { kind: 'step' as const, n: 3, tool: 'de_tap_text', args: { text: 'New' }, ms: 90 }
  const text = 'Error executing tool de_tap_text: There is no "New".'
  const failed = { ...step, state: 'failed' as const, text, image: '/api/artifacts/a' }
  const list = mount(StepList, { props: { steps: [failed] } })

  await list.get('button').trigger('click')

  expect(list.get('.why').text()).toBe('There is no "New".')
  expect(page.picture?.shots).toMatchObject([{ src: '/api/artifacts/a', alt: 'Picture of step 1' }])
})

test('one walks from the picture of a step to those of the others, before beside after', async () => {
  allowDialogs()
  const step = { kind: 'step' as const, tool: 'de_tap', args: { element: 4 }, ms: 340, text: '', state: 'ok' as const }
  const seen = [
    { ...step, n: 1, image: '/api/artifacts/b', before: '/api/artifacts/a', started: '2026-03-10T12:00:00.000Z' },
    { ...step, n: 2, image: null },
    { ...step, n: 3, image: '/api/artifacts/b', before: '/api/artifacts/b' },
  ]
  const list = mount(StepList, { props: { steps: seen.slice(0, 2), all: seen } })

  await list.get('button.thumb').trigger('click')
  const dialog = mount(PictureDialog, { props: page.picture! })
  const first = dialog.findAll('img').map((image) => image.attributes('src'))
  const place = dialog.get('.place').text()
  await dialog.get('dialog').trigger('keydown', { key: 'ArrowRight' })
  await dialog.get('dialog').trigger('keydown', { key: 'ArrowRight' })

  expect(first).toEqual(['/api/artifacts/a', '/api/artifacts/b'])
  expect(place).toBe('1 / 2')
  expect(dialog.findAll('img')).toHaveLength(1)
  expect(dialog.get('figcaption').text()).toBe('Nothing changed on the screen')
  expect(dialog.get('header').text()).toContain('Step 3')
})

test('a refused step is told from a failed one, and arguments can be read', () => {
  const view = newRun('r1')
  const args = { serial: 'A1', element: 4, expect: { text: '<b>Pay</b>' } }
  apply(view, { event: 'step', data: { n: 1, tool: 'de_tap', args, ok: false, status: 'denied', ms: 3, text: 'No.' } })
  apply(view, { event: 'step', data: { n: 2, tool: 'de_tap', args, ok: false, status: 'error', ms: 3, text: 'Gone.' } })
  apply(view, { event: 'step', data: { n: 3, tool: 'de_tap', args, ok: false, status: 'aborted', ms: 3 } })
  const shown = steps(view)

  const list = mount(StepList, { props: { steps: shown } })

  expect(shown.map((step) => step.state)).toEqual(['denied', 'failed', 'cut'])
  expect(list.get('.tag').text()).toBe('refused')
  expect(list.findAll('dt').slice(0, 2).map((name) => name.text())).toEqual(['element', 'expect'])
  expect(list.findAll('dd')[1].text()).toContain('<b>Pay</b>')
})

test('what is remembered is a card and no step; names stay text', () => {
  const view = newRun('r1')
  const items = [{ id: 'e1', task: '<img src=x onerror=alert(1)>' }, { id: 'e2', task: 'open Notes' }]
  const card = { n: 1, tool: 'memory.experiences', args: { items }, ok: true, ms: 0, text: '2 fit.' }
  apply(view, { event: 'step', data: card })
  apply(view, { event: 'route', data: { channel: 'phone', reason: 'It is a phone app.', considered: ['phone', 'browser'] } })
  apply(view, { event: 'step', data: { n: 2, tool: 'de_tap', args: {}, ok: true, ms: 3 } })

  const trail = mount(RunTrail, { props: { groups: groups(view.items), runId: 'r1' } })

  expect(steps(view)).toHaveLength(1)
  expect(trail.get('.step .n').text()).toBe('1')
  expect(trail.findAll('.mem .chip').map((chip) => chip.text())).toEqual(['<img src=x onerror=alert(1)>', 'open Notes'])
  expect(trail.findAll('.mem a').map((link) => link.attributes('href'))).toEqual([
    '#/memory/experiences/e1',
    '#/memory/experiences/e2',
  ])
  expect(trail.get('.route').text()).toContain('It is a phone app.')
  expect(trail.get('.chosen').text()).toBe('phone')
})

test('an answered question says by whom', () => {
  const view = newRun('r1')
  const options = [{ value: 'approve', label: 'Allow' }]
  const asked = { question_id: 'q1', kind: 'approval', title: 'Pay?', question: 'Pay 3', options, expires_at: null }
  apply(view, { event: 'question', data: asked })
  apply(view, { event: 'answered', data: { question_id: 'q1', value: 'approve', by: 'li' } })

  const trail = mount(RunTrail, { props: { groups: groups(view.items), runId: 'r1' } })

  expect(trail.get('.ask').text()).toContain('li answered: Allow')
})

test('a step that waits for a person says so and shows no check', () => {
  const step = { kind: 'step' as const, n: 1, tool: 'de_tap_text', args: {}, ms: 9, text: '', image: null }
  const list = mount(StepList, { props: { steps: [{ ...step, state: 'waiting' as const }] } })

  expect(list.get('.tag').text()).toBe('waiting for you')
  expect(list.get('[title] svg').classes()).toContain('lucide-hand')
})

test('a run that goes on shows what it does', () => {
  const view = newRun('r1')
  apply(view, {
    event: 'route',
    data: { channel: 'phone', reason: 'you chose it', considered: ['phone', 'browser'] },
  })
  apply(view, { event: 'step_started', data: { n: 1, tool: 'de_ui_tree', args: {} } })

  const block = show(view)

  expect(block.text()).toMatch(/Channel phone\s*you chose it/)
  expect(block.text()).toContain('Working…')
  expect(block.find('.fold').exists()).toBe(false)
})

test('a stopped run keeps its words and says that it was stopped', () => {
  const view = newRun('r1')
  apply(view, { event: 'delta', data: { text: 'So far', kind: 'content' } })
  apply(view, { event: 'done', data: { answer: '', stopped: true } })

  const block = show(view)

  expect(block.text()).toContain('So far')
  expect(block.text()).toContain('Stopped')
})

test('a failed run shows message, hint and code', () => {
  const view = newRun('r1')
  apply(view, { event: 'error', data: { code: 'model_auth', message: 'Refused', hint: 'New key' } })

  const block = show(view)

  expect(block.get('.error').text()).toMatch(/Refused.*New key.*model_auth/s)
  expect(block.get('.foot').text()).not.toContain('Run again')
})

test.each([
  ['admin', 'model_auth', ['Run again', 'Set up the model']],
  ['operator', 'model_auth', ['Run again']],
  ['operator', 'device_lost', ['Run again', 'See devices']],
  ['admin', 'loop_detected', ['Run again']],
] as const)('%s is shown the way out of %s', (role, code, ways) => {
  session.role = role
  const view = newRun('r1')
  apply(view, { event: 'error', data: { code, message: 'Refused', hint: '' } })

  const block = show(view)

  expect(block.findAll('.error .btn').map((each) => each.text())).toEqual(ways)
})

test('a stored run is folded to a line and fetches its steps when it is opened', async () => {
  const step = { n: 1, tool: 'de_ui_tree', args: {}, ok: true, ms: 12 }
  const asked = serve({
    'GET /api/agent/runs/r1/events?cursor=0': { items: [{ id: 3, event: 'route', data: { considered: [] } }], next: 3 },
    'GET /api/agent/runs/r1/events?cursor=3': { items: [{ id: 4, event: 'step', data: step }], next: null },
  })
  const message = { id: 2, role: 'assistant' as const, content: '**Hi**', created: '', run_id: 'r1' }
  const block = show(reactive(storedRun({ ...message, steps: 1, ms: 4_800, verified: true })))

  const line = block.get('.fold > summary').text()
  block.get<HTMLDetailsElement>('.fold').element.open = true
  await settled()

  expect(line).toMatch(/^1 step · 4.8 s\s*Verified$/)
  expect(block.get('.md').html()).toContain('<strong>Hi</strong>')
  expect(asked).toHaveLength(2)
  expect(block.get('.fold .step').text()).toContain('de_ui_tree')
})

test('the footer counts tokens and calls', () => {
  const usage = { prompt_tokens: 8960, completion_tokens: 452, total_tokens: 9412, calls: 7, cached_tokens: 6144 }
  const message = { id: 2, role: 'assistant' as const, content: 'Hi', created: '', run_id: null, usage }

  const foot = show(storedRun(message)).get('.foot').text()

  expect(foot).toContain('9,412 tokens')
  expect(foot).toContain('input 8,960 · output 452 · cached 6,144 · 7 calls')
})

test('a run that broke off shows what it did, and can go on, begin anew or be left', async () => {
  const asked = serve({
    'GET /api/agent/runs/r1/events?cursor=0': { items: [], next: null },
    'DELETE /api/agent/runs/r1/again': { ok: true },
  })
  const message = { id: 2, role: 'assistant' as const, content: 'half', created: '', run_id: 'r1', steps: 1 }
  const error = { code: 'interrupted', message: 'restarted' }
  const view = reactive(storedRun({ ...message, error, again: ['resume', 'restart'] }))
  const knows = show(view)
  const rules = show(storedRun({ ...message, error, again: ['restart'] }))
  const labels = (block: typeof knows) => block.findAll('.choices button').map((each) => each.text())
  const before = labels(knows)

  await knows.findAll('.choices button')[0]?.trigger('click')
  await knows.findAll('.choices button')[2]?.trigger('click')
  await settled()

  expect(before).toEqual(['Go on', 'Start over', 'Leave it'])
  expect(labels(rules)).toEqual(['Start over', 'Leave it'])
  expect(knows.get('.fold').attributes('open')).toBeDefined()
  expect(knows.emitted('again')).toEqual([['resume']])
  expect(asked.map((one) => one.method)).toContain('DELETE')
  expect(labels(knows)).toEqual(['Run again'])
})

test('thoughts that were opened by hand stay open when the run ends', async () => {
  const view = reactive(newRun('r1'))
  apply(view, { event: 'delta', data: { kind: 'reasoning', text: 'hmm' } })
  apply(view, { event: 'delta', data: { kind: 'content', text: 'Hi' } })
  const block = show(view)
  const before = block.get('.think').attributes('open')

  await block.get('.think summary').trigger('click')
  apply(view, { event: 'done', data: { answer: 'Hi' } })
  await settled()

  expect(before).toBeUndefined()
  expect(block.get('.think').attributes('open')).toBeDefined()
})

test('what an answer cost is said with its currency', () => {
  const usage = { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10, calls: 1, cost: 0.00123, currency: 'USD' }

  const message = { id: 2, role: 'assistant' as const, content: 'Hi', created: '', run_id: 'r1', usage }

  expect(show(storedRun(message)).get('.foot').text()).toContain('$0.0012')
})
