# Writes without end. Control: a quarter of a mebibyte.
case $1 in
hostile) yes flood-flood-flood-flood-flood-flood-flood-flood-flood-flood ;;
*) yes drop-drop-drop-drop-drop-drop-drop-drop-drop-drop-drop-drop-drop | head -c 262144 ;;
esac
