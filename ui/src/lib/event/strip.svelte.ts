class StripUi {
  refusedOnly = $state(false);
}
export const strip = new StripUi();
