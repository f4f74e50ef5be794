# bash completion for skein. Gets the commands and options from the output of skein --help, so that
# they are always current.
_skein() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local command= format= i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      --) # the traced program and its arguments
        if declare -F _command_offset >/dev/null; then
          _command_offset $((i + 1))
        elif ((i + 1 == COMP_CWORD)); then
          mapfile -t COMPREPLY < <(compgen -c -f -- "$current")
        else
          mapfile -t COMPREPLY < <(compgen -f -- "$current")
        fi
        return 0 ;;
      -*) ;;
      *)
        [ -z "$command" ] || [ -n "$format" ] || format=${COMP_WORDS[i]}
        [ -n "$command" ] || command=${COMP_WORDS[i]} ;;
    esac
  done
  if [ -z "$command" ] || [ "$command/$previous" = help/help ]; then
    local words
    words=$(skein --help 2>/dev/null | sed -n '/^Record:/,$ s/^  \([a-z][a-z-]*\) .*/\1/p')
    mapfile -t COMPREPLY < <(compgen -W "$words --help --version" -- "$current")
    return 0
  fi
  case $command$previous in
    flame--time) mapfile -t COMPREPLY < <(
      compgen -W "suspended running ready all cpu off-cpu" -- "$current"); return 0 ;;
    flame--by) mapfile -t COMPREPLY < <(
      compgen -W "task executor thread label" -- "$current"); return 0 ;;
  esac
  case $previous in
    --theme) mapfile -t COMPREPLY < <(
      compgen -W "light dark colour-blind colour-blind-dark" -- "$current"); return 0 ;;
    --color | --colour) mapfile -t COMPREPLY < <(compgen -W "auto always never" -- "$current")
      return 0 ;;
    --table) mapfile -t COMPREPLY < <(compgen -W "events tasks" -- "$current"); return 0 ;;
    --fail-on) mapfile -t COMPREPLY < <(
      compgen -W "$(skein doctor --list 2>/dev/null | sed -n 's/^\([a-z][a-z-]*\)  .*/\1/p')" -- "$current")
      return 0 ;;
    --exe) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return 0 ;;
    --ctest | --keep) mapfile -t COMPREPLY < <(compgen -d -- "$current"); return 0 ;;
    --colors | --colours) mapfile -t COMPREPLY < <(
      compgen -W "hot module kernel guest java js perl mem io wakeup chain red orange yellow green aqua blue purple" \
        -- "$current"); return 0 ;;
    --bgcolors) mapfile -t COMPREPLY < <(compgen -W "yellow blue green grey" -- "$current"); return 0 ;;
    --stacks) mapfile -t COMPREPLY < <(compgen -W "logical physical" -- "$current"); return 0 ;;
    --format) mapfile -t COMPREPLY < <(
      compgen -W "svg html folded pprof speedscope" -- "$current"); return 0 ;;
    --mode) mapfile -t COMPREPLY < <(compgen -W "ring log" -- "$current"); return 0 ;;
  esac
  case $command/$current in
    */-*)
      local options words=("$command")
      [ "$command" != export ] || words+=("${format:-ctf}")
      options=$(skein "${words[@]}" --help 2>/dev/null | sed -n '/^Options:/,$p' |
        grep -oE '(^|[ ,])--[a-z][a-z-]*' | tr -d ' ,')
      mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current") ;;
    control/*)
      mapfile -t COMPREPLY < <(compgen -W "status start stop snapshot" -- "$current"
                               compgen -f -- "$current") ;;
    export/*)
      if [ "$previous" = export ]; then
        local formats
        formats=$(skein export --help 2>/dev/null |
          sed -n '/^Formats:/,$ s/^  \([a-z][a-z-]*\) .*/\1/p')
        mapfile -t COMPREPLY < <(compgen -W "$formats" -- "$current")
      else
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
      fi ;;
    *)
      local processes=
      if skein "$command" --help 2>/dev/null | sed '/^Options:/,$d' | grep -q '\<PID'; then
        processes=$(skein ps 2>/dev/null | sed -n 's/^ *\([0-9][0-9]*\) .*/\1/p')
      fi
      mapfile -t COMPREPLY < <(compgen -W "$processes" -- "$current"
                               compgen -f -- "$current") ;;
  esac
}
complete -o filenames -F _skein skein
