;;; The kit for peers in Common Lisp (SBCL): the kit in C, through the library of kit.c. A peer
;;; gives its functions to RUN and reports what its library delivers; it may do so on any Lisp
;;; thread.

(defpackage :peer-kit
  (:use :cl :sb-alien)
  (:export #:run #:load-kit #:job-text #:job-number #:job-flag #:job-setting #:now #:payload #:effective
           #:message #:served #:answered #:unanswered #:fail #:map-data #:map-is-intact))

(in-package :peer-kit)

(defvar *kit* nil "The run, for the kit's functions.")
(defvar *job* nil)
(defvar *echoed* nil "The message that is being reported, for the function :echo.")
(defvar *functions* nil "What RUN was given: a property list.")

(defconstant +error-bytes+ 256)

(defun load-kit (folder)
  (load-shared-object (concatenate 'string folder "/peer_kit.so") :dont-save t))

(defmacro kit-call (name result &rest arguments)
  "Calls lisp_kit_NAME; arguments are pairs of a type and a value."
  `(alien-funcall
    (extern-alien ,(format nil "lisp_kit_~a" name)
                  (function ,result ,@(mapcar #'first arguments)))
    ,@(mapcar #'second arguments)))

;;; The job

(defun job-text (field)
  "A text of the job, by the name of its field; NIL where the job says null."
  (kit-call "text" c-string (system-area-pointer *job*) (c-string field)))

(defun job-number (field)
  (kit-call "number" (signed 64) (system-area-pointer *job*) (c-string field)))

(defun job-flag (field)
  (= 1 (job-number field)))

(defun job-setting (name otherwise)
  (kit-call "setting" c-string (system-area-pointer *job*) (c-string name) (c-string otherwise)))

;;; What a peer reports

(defun now ()
  (kit-call "now" (signed 64)))

(defun effective (transport library version)
  (kit-call "effective" void (system-area-pointer *kit*) (system-area-pointer *job*)
            (c-string transport) (c-string library) (c-string version)))

(defun payload (size)
  "The buffer that the kit writes before each publish: a pointer."
  (let ((buffer (alien-sap (make-alien (unsigned 8) size))))
    (kit-call "payload" void (system-area-pointer *kit*) (system-area-pointer buffer))
    buffer))

(defun message (arrived data message)
  "A message arrived; data: its payload, a vector of (unsigned-byte 8)."
  (declare (type (simple-array (unsigned-byte 8) (*)) data))
  (let ((*echoed* message))
    (sb-sys:with-pinned-objects (data)
      (kit-call "message" void (system-area-pointer *kit*) ((signed 64) arrived)
                (system-area-pointer (sb-sys:vector-sap data)) ((unsigned 64) (length data))))))

(defun served (t1 t2 t3)
  (kit-call "served" void (system-area-pointer *kit*) ((signed 64) t1) ((signed 64) t2) ((signed 64) t3)))

(defun answered (token t2 t3 t4 &optional corrupt)
  (kit-call "answered" void (system-area-pointer *kit*) ((unsigned 64) token) ((signed 64) t2)
            ((signed 64) t3) ((signed 64) t4) (int (if corrupt 1 0))))

(defun unanswered (token)
  (kit-call "unanswered" void (system-area-pointer *kit*) ((unsigned 64) token)))

(defun fail (text)
  (kit-call "fail" void (system-area-pointer *kit*) (c-string text)))

(defun map-data (size)
  "map.data of a response: a vector of fixnums."
  (let ((buffer (make-array (max size 1) :element-type '(signed-byte 8))))
    (sb-sys:with-pinned-objects (buffer)
      (kit-call "map_fill" void (system-area-pointer (sb-sys:vector-sap buffer)) ((unsigned 64) size)))
    (map 'simple-vector #'identity (subseq buffer 0 size))))

(defun map-is-intact (data)
  (let ((buffer (coerce data '(simple-array (signed-byte 8) (*)))))
    (sb-sys:with-pinned-objects (buffer)
      (= 1 (kit-call "map_is_intact" int (system-area-pointer *job*)
                     (system-area-pointer (sb-sys:vector-sap buffer)) ((unsigned 64) (length buffer)))))))

;;; The peer's functions, as C calls them

(defun write-text (text pointer size)
  (let ((octets (sb-ext:string-to-octets (remove #\Newline text) :external-format :utf-8)))
    (loop for i below (min (length octets) (1- size))
          do (setf (sb-sys:sap-ref-8 pointer i) (aref octets i))
          finally (setf (sb-sys:sap-ref-8 pointer i) 0))))

(defun function-of (name)
  (or (getf *functions* name) (lambda (&rest arguments) (declare (ignore arguments)))))

(defun guarded (error-text name &rest arguments)
  "1, or 0 with the error's text."
  (handler-case (progn (apply (function-of name) arguments) 1)
    (serious-condition (condition)
      (write-text (princ-to-string condition) error-text +error-bytes+)
      0)))

(defun ask-refusal (job field)
  (setf *job* job)
  (let ((refused (handler-case (funcall (function-of :refuses))
                   (serious-condition (condition)
                     (format *error-output* "~a~%" condition)
                     "pattern"))))
    (when refused
      (write-text refused field 64))
    (if refused 1 0)))

(defun start (kit job error-text)
  (setf *kit* kit *job* job)
  (guarded error-text :create))

(defun functions-for-c ()
  "The array of kit.c, with one C function for each of Lisp."
  (let ((array (alien-sap (make-alien (unsigned 64) 8))) (index -1))
    (flet ((put (callback)
             (setf (sb-sys:sap-ref-sap array (* 8 (incf index))) (alien-sap callback))))
      (put (sb-alien::alien-lambda int ((job system-area-pointer) (field system-area-pointer))
             (ask-refusal job field)))
      (put (sb-alien::alien-lambda int ((kit system-area-pointer) (job system-area-pointer)
                                        (text system-area-pointer))
             (start kit job text)))
      (put (sb-alien::alien-lambda int ((timeout (signed 64)) (text system-area-pointer))
             (guarded text :wait-matched timeout)))
      (put (sb-alien::alien-lambda int ((text system-area-pointer))
             (guarded text :publish)))
      (put (sb-alien::alien-lambda int ((text system-area-pointer))
             (guarded text :echo *echoed*)))
      (put (sb-alien::alien-lambda int ((token (unsigned 64)) (t1 (signed 64)) (text system-area-pointer))
             (guarded text :call token t1)))
      (put (sb-alien::alien-lambda void ((token (unsigned 64)))
             (funcall (function-of :forget) token)
             (values)))
      (put (sb-alien::alien-lambda void ()
             (handler-case (funcall (function-of :destroy))
               (serious-condition (condition) (format *error-output* "~a~%" condition)))
             (values))))
    array))

(defun run (job-path &rest functions)
  "The whole life of a peer: the exit status. FUNCTIONS: :refuses :create :wait-matched :publish :echo :call
:forget :destroy."
  (setf *functions* functions)
  (kit-call "main" int (c-string job-path) (system-area-pointer (functions-for-c))))
