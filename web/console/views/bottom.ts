/** Keep a growing list at its end while the reader is there; leave it alone when they scrolled up. */
import { onBeforeUnmount, onMounted, ref, type Ref } from 'vue'

const NEAR_PX = 80

export function useBottom(scroller: Ref<HTMLElement | undefined>) {
  const atBottom = ref(true)

  function measure() {
    const box = scroller.value
    if (box) atBottom.value = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX
  }

  function toBottom() {
    const box = scroller.value
    if (!box) return
    box.scrollTop = box.scrollHeight
    atBottom.value = true
  }

  const follow = () => (atBottom.value ? toBottom() : measure())
  const grown = new ResizeObserver(follow)

  onMounted(() => {
    const box = scroller.value
    if (!box) return
    box.addEventListener('scroll', measure, { passive: true })
    grown.observe(box)
    if (box.firstElementChild) grown.observe(box.firstElementChild)
  })
  onBeforeUnmount(() => grown.disconnect())
  return { atBottom, toBottom }
}
